import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiDocument, ApiSchema } from '#server/core/api-document';
import { apiDocument } from '#tests/support/api-document';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

/*
 * Linters and generators of clients read the API document. `npm run test:clients` installs them in `tests/clients`, without
 * install scripts.
 */

const here = join(import.meta.dirname, 'clients');
const cache = join(here, '.cache');
const document = join(cache, 'openapi.json');
const withoutUnions = join(cache, 'openapi-without-unions.json');

/** No linter or generator may send usage data. */
const env = {
  ...process.env,
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  DO_NOT_TRACK: '1',
  ORVAL_DISABLE_TELEMETRY: '1',
};

/** Runs a program of this folder's packages; its output, also if it failed. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const options = { cwd: here, env, maxBuffer: 64_000_000 };
  const file = program === 'java' ? program : process.execPath;
  const all = program === 'java' ? args : [join(here, 'node_modules', program), ...args];
  try {
    return (await promisify(execFile)(file, all, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = z.object({ stdout: z.string(), stderr: z.string() }).parse(error);
    throw new Error(`${program} failed:\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`, { cause: error });
  }
}

/**
 * The document without the enumerations of discriminators: the openapi-generator whose package contains the program
 * (5.0.0-beta2; later packages download it) generates enums for them that contradict its own unions.
 */
function withPlainDiscriminators(original: ApiDocument): ApiDocument {
  const copy = structuredClone(original) as { components: { schemas: Record<string, ApiSchema> } } & ApiDocument;
  for (const { discriminator } of Object.values(original.components.schemas)) {
    if (!discriminator) continue;
    for (const ref of Object.values(discriminator.mapping)) {
      const name = ref.slice(ref.lastIndexOf('/') + 1);
      const { properties = {} } = copy.components.schemas[name] ?? {};
      const { enum: _, ...plain } = properties[discriminator.propertyName] ?? {};
      const schema = {
        ...copy.components.schemas[name],
        properties: { ...properties, [discriminator.propertyName]: plain },
      };
      copy.components.schemas[name] = schema;
    }
  }
  return copy;
}

let server: ProductionServer;

beforeAll(async () => {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache);
  server = await startProductionServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  const served = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as ApiDocument;
  writeFileSync(document, JSON.stringify(served));
  writeFileSync(withoutUnions, JSON.stringify(withPlainDiscriminators(served)));
  // With the security of a server with accounts.
  writeFileSync(join(cache, 'openapi-with-accounts.json'), JSON.stringify(apiDocument));
});
afterAll(() => server.stop());

describe.each(['openapi.json', 'openapi-with-accounts.json'])('%s', (name) => {
  const file = join(cache, name);

  it('has no problem for Redocly', async () => {
    const output = await run('@redocly/cli/bin/cli.js', ['lint', file, '--config', 'redocly.yaml', '--format', 'json']);
    const { totals } = z.object({ totals: z.record(z.string(), z.number()) }).parse(JSON.parse(output));
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  it('has no problem for Spectral', async () => {
    const report = join(cache, `${name}.spectral.json`);
    const args = ['lint', file, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'];
    await run('@stoplight/spectral-cli/dist/index.js', [...args, '--format', 'json', '--output', report]);
    expect(z.array(z.unknown()).parse((await import(report, { with: { type: 'json' } })).default)).toEqual([]);
  });
});

const jar = join(here, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');

/** Writes a client into the folder. */
const generators: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'hey-api': (folder) =>
    run('@hey-api/openapi-ts/bin/run.js', [
      '-i',
      document,
      '-o',
      folder,
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file',
    ]),
  orval: async (folder) => {
    const config = join(cache, 'orval.config.mjs');
    const output = { target: join(folder, 'client.ts'), client: 'fetch', mode: 'single', baseUrl: server.url };
    writeFileSync(config, `export default ${JSON.stringify({ throughline: { input: document, output } })};`);
    await run('orval/dist/bin/orval.mjs', ['--config', config]);
  },
  'typescript-fetch': (folder) => {
    const options = ['-g', 'typescript-fetch', '--additional-properties=typescriptThreePlus=true'];
    return run('java', ['-jar', jar, 'generate', '-i', withoutUnions, '-o', folder, ...options]);
  },
};

describe('generated clients', () => {
  it('compile with TypeScript 5.9, with a program that uses them', async () => {
    await Promise.all(Object.entries(generators).map(([name, generate]) => generate(join(cache, name))));
    expect(await run('typescript/bin/tsc', ['-p', here])).toBe('');
  });

  it.each(Object.keys(generators))('%s runs a conversation, a page and a picture', async (name) => {
    expect(existsSync(join(cache, name))).toBe(true);
    const file = join(here, 'stories', `${name}.ts`);
    const { story } = (await import(pathToFileURL(file).href)) as {
      story: (url: string, slug: string) => Promise<unknown>;
    };
    expect(await story(server.url, `glaze-${name}`)).toEqual({
      title: 'Spring menu',
      hasTime: true,
      answeredBy: 'assistant',
      published: 'published',
      titles: ['Glaze course', 'Glaze workshop'],
      picture: [1, 1],
      refusal: 'not_found',
    });
  });
});
