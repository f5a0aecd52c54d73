import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { z } from 'zod';
import { run } from '#scripts/lib/build';

/** Outcome of looking at the registry's signatures. `unknown`: nothing could be looked at, which is no fault of a package. */
interface SignatureReport {
  readonly verdict: 'good' | 'bad' | 'unknown';
  readonly message: string;
}

const named = z.array(z.object({ name: z.string(), version: z.string() }));
const audited = z.object({ invalid: named, missing: named });
const failure = z.object({ error: z.object({ code: z.string().nullish(), summary: z.string() }) });

/** Codes of npm for a registry, or the keys of one, that is not to be had from here. */
const OUT_OF_REACH =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*TIMEDOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|E404|ETARGET|E5\d\d)$/;
const UNSIGNED = /installed from a supported registry/;

/** Reads what `npm audit signatures --json` has printed. What it does not know counts as bad. */
export function judgeSignatures(output: string): SignatureReport {
  const value = parsed(output);
  const { data: result } = audited.safeParse(value);
  if (result) {
    const names = (of: z.infer<typeof named>) => of.map(({ name, version }) => `${name}@${version}`).join(', ');
    const problems = [
      ...(result.invalid.length > 0 ? [`Not what their publishers signed: ${names(result.invalid)}.`] : []),
      ...(result.missing.length > 0
        ? [`Without the signature that the registry gives: ${names(result.missing)}.`]
        : []),
    ];
    if (problems.length === 0) return { verdict: 'good', message: 'All installed packages have valid signatures.' };
    return { verdict: 'bad', message: `${problems.join(' ')} Do not build or ship with them.` };
  }
  const { data: fault } = failure.safeParse(value);
  if (!fault) return { verdict: 'bad', message: `npm audit signatures gave no result: ${output.trim().slice(0, 500)}` };
  const { code, summary } = fault.error;
  if (!OUT_OF_REACH.test(code ?? '') && !UNSIGNED.test(summary)) {
    return { verdict: 'bad', message: `npm audit signatures failed (${code ?? 'no code'}): ${summary}` };
  }
  const message = `SIGNATURES NOT CHECKED: ${summary}. Hashes were, against package-lock.json, when the packages were installed.`;
  return { verdict: 'unknown', message };
}

/** Looks at the signatures of all installed packages. */
async function auditSignatures(): Promise<SignatureReport> {
  return judgeSignatures(await npmJson(['audit', 'signatures', '--json', '--fetch-retries=1']));
}

/**
 * Prints what was found out about the signatures.
 * @throws Error for a bad one always, and where isStrict also where they could not be checked
 */
export function requireSigned({ verdict, message }: SignatureReport, isStrict: boolean): void {
  if (verdict === 'good') console.log(message);
  else if (verdict === 'unknown' && !isStrict) console.warn(`\n*** ${message} ***\n`);
  else throw new Error(message);
}

const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  components: z
    .array(
      z.looseObject({
        name: z.string(),
        version: z.string(),
        hashes: z.array(z.unknown()).optional(),
        properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
      }),
    )
    .min(1),
});

/**
 * The software bill of materials (CycloneDX) of the lockfile: the packages of all platforms, those for development marked
 * as such. npm could leave those out, and then forgets packages that both need.
 */
export async function materials(): Promise<z.infer<typeof bill>> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  return readMaterials(await npmJson(['sbom', ...format, '--package-lock-only']));
}

/** Reads what `npm sbom` has printed. @throws Error with npm's own words where that is no list */
export function readMaterials(output: string): z.infer<typeof bill> {
  const { data } = bill.safeParse(parsed(output));
  if (!data) throw new Error(`npm gave no list of the packages (CycloneDX): ${output.trim().slice(0, 500)}`);
  return data;
}

/** Runs npm and reads its JSON, without the warnings that npm prints in front of it. */
async function npmJson(args: readonly string[]): Promise<string> {
  const { output } = await run('npm', [...args, '--loglevel=silent'], { capture: true });
  return output.slice(Math.max(0, output.search(/^\{/m)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Not in .next: it is about what is shipped with the build. */
const FILE = '.cache/sbom.cdx.json';

if (import.meta.main) {
  try {
    const isStrict = process.argv.includes('--strict');
    const { components, ...rest } = await materials();
    mkdirSync(dirname(projectPath(FILE)), { recursive: true });
    writeFileSync(projectPath(FILE), `${JSON.stringify({ ...rest, components }, null, 2)}\n`);
    console.log(`${FILE} lists ${components.length} packages (CycloneDX).`);
    requireSigned(await auditSignatures(), isStrict);
  } catch (error) {
    exitWithMessage(error);
  }
}
