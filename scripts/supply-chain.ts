import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { z } from 'zod';
import { run } from '#scripts/lib/run';

/**
 * Outcome of the check of the registry's signatures. `unknown`: nothing could be checked, which is not the fault of a
 * package.
 */
interface SignatureReport {
  readonly verdict: 'good' | 'bad' | 'unknown';
  readonly message: string;
}

/** Packages by name and version. */
const packageList = z.array(z.object({ name: z.string(), version: z.string() }));
const auditResult = z.object({ invalid: packageList, missing: packageList });
const auditFailure = z.object({ error: z.object({ code: z.string().nullish(), summary: z.string() }) });

/** npm error codes for a registry, or its keys, that cannot be reached from here. */
const UNREACHABLE_CODES =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*TIMEDOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|E404|ETARGET|E5\d\d)$/;
/** npm's error where no package comes from a registry that signs. */
const UNSIGNED = /installed from a supported registry/;

/** Parses the output of `npm audit signatures --json`. Unknown output counts as bad. */
export function readSignatureReport(output: string): SignatureReport {
  const value = parsed(output);
  const { data: result } = auditResult.safeParse(value);
  if (result) {
    const names = (of: z.infer<typeof packageList>) => of.map(({ name, version }) => `${name}@${version}`).join(', ');
    const problems = [
      ...(result.invalid.length > 0 ? [`Not what their publishers signed: ${names(result.invalid)}.`] : []),
      ...(result.missing.length > 0
        ? [`Without the signature that the registry gives: ${names(result.missing)}.`]
        : []),
    ];
    if (problems.length === 0) return { verdict: 'good', message: 'All installed packages have valid signatures.' };
    return { verdict: 'bad', message: `${problems.join(' ')} Do not build or ship with them.` };
  }
  const { data: fault } = auditFailure.safeParse(value);
  if (!fault) return { verdict: 'bad', message: `npm audit signatures gave no result: ${output.trim().slice(0, 500)}` };
  const { code, summary } = fault.error;
  if (!UNREACHABLE_CODES.test(code ?? '') && !UNSIGNED.test(summary)) {
    return { verdict: 'bad', message: `npm audit signatures failed (${code ?? 'no code'}): ${summary}` };
  }
  const message = `SIGNATURES NOT CHECKED: ${summary}. Hashes were, against package-lock.json, when the packages were installed.`;
  return { verdict: 'unknown', message };
}

/** Checks the signatures of all installed packages. */
async function auditSignatures(): Promise<SignatureReport> {
  return readSignatureReport(await npmJson(['audit', 'signatures', '--json', '--fetch-retries=1']));
}

/**
 * Prints the result of the signature check.
 * @throws Error for a bad signature and, with `isStrict`, also if the signatures could not be checked
 */
export function requireSigned({ verdict, message }: SignatureReport, isStrict: boolean): void {
  if (verdict === 'good') console.log(message);
  else if (verdict === 'unknown' && !isStrict) console.warn(`\n*** ${message} ***\n`);
  else throw new Error(message);
}

const sbomSchema = z.looseObject({
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
 * The software sbomSchema of createSbom (CycloneDX) of the lockfile: the packages of all platforms, with development packages
 * marked. npm could omit those, but then also omits packages that both need.
 */
export async function createSbom(): Promise<z.infer<typeof sbomSchema>> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  return parseSbom(await npmJson(['sbom', ...format, '--package-lock-only']));
}

/** Parses the output of `npm sbom`. @throws Error with npm's own message if the output is not a sbomSchema of createSbom */
export function parseSbom(output: string): z.infer<typeof sbomSchema> {
  const { data } = sbomSchema.safeParse(parsed(output));
  if (!data) throw new Error(`npm gave no list of the packages (CycloneDX): ${output.trim().slice(0, 500)}`);
  return data;
}

/** Runs npm and returns its JSON, without the warnings that npm prints before it. */
async function npmJson(args: readonly string[]): Promise<string> {
  const { output } = await run('npm', [...args, '--loglevel=silent'], { capture: true });
  return output.slice(Math.max(0, output.search(/^\{/m)));
}

/** The parsed JSON; null if the text is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Where the bill of materials is written: not in .next, because it describes what is shipped with the build. */
const SBOM_FILE = '.cache/sbom.cdx.json';

if (import.meta.main) {
  try {
    const isStrict = process.argv.includes('--strict');
    const { components, ...rest } = await createSbom();
    mkdirSync(dirname(projectPath(SBOM_FILE)), { recursive: true });
    writeFileSync(projectPath(SBOM_FILE), `${JSON.stringify({ ...rest, components }, null, 2)}\n`);
    console.log(`${SBOM_FILE} lists ${components.length} packages (CycloneDX).`);
    requireSigned(await auditSignatures(), isStrict);
  } catch (error) {
    exitWithMessage(error);
  }
}
