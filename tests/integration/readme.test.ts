import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { processReference } from '#server/env';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

/** The text under a second-level heading. */
function section(heading: string): string {
  const [, text = ''] = readme.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The cells of every row of a table, without its head. */
function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}

/** Addresses of links and pictures that lead to files of this project. */
function linkedFiles(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
}

interface CurlCommand {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  /** It never ends by itself. */
  readonly isEndless: boolean;
}

/** Words as a shell reads them: quotes end, variables outside of single quotes are put in. */
function shellWords(command: string, variables: Readonly<Record<string, string>>): string[] {
  const fill = (text: string) => text.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? `$${name}`);
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g, (_, single?: string, double?: string, bare?: string) =>
      single === undefined ? fill(double ?? bare ?? '') : single,
    ),
  );
}

function parseCurl(command: string, variables: Readonly<Record<string, string>>): CurlCommand {
  const [program, ...words] = shellWords(command, variables);
  expect(program).toBe('curl');
  let method: string | null = null;
  let body: string | null = null;
  let url = '';
  let isEndless = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-N') continue;
    if (word === '--max-time') isEndless = words.shift() !== undefined;
    else if (word === '-X') method = words.shift() ?? null;
    else if (word === '-d') body = words.shift() ?? null;
    else url = word;
  }
  return { method: method ?? (body === null ? 'GET' : 'POST'), url, body, isEndless };
}

/** Every curl command of the text, in order; a command may go on over several lines. */
function curlCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split(/\n(?=curl )/)).map((command) => command.trim());
}

describe('README.md', () => {
  it('lists every setting with its default and meaning, in the order of the code', () => {
    const expected = processReference().map(({ name, default: value, description }) => [
      `\`${name}\``,
      value === '' ? '' : `\`${value}\``,
      description,
    ]);
    expect(tableRows(section('Configuration'))).toEqual(expected);
  });

  it('links only to files that exist, and every promise to its test', () => {
    expect(linkedFiles(readme).filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    const promises = tableRows(section('What is promised, and what proves it'));
    expect(promises.length).toBeGreaterThan(10);
    for (const [promise, proof = ''] of promises) {
      const tests = linkedFiles(proof).filter((path) => /\.(test|spec)\.tsx?$/.test(path));
      expect(tests, promise).not.toEqual([]);
    }
  });

  it('names npm scripts that exist', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));
    const named = [...readme.matchAll(/npm (?:run (\S+)|(test))/g)].map(([, run, test]) => run ?? test ?? '');
    expect(named.filter((name) => !(name.replace(/\W+$/, '') in scripts))).toEqual([]);
  });

  describe('on a running server', () => {
    let server: ProductionServer;
    beforeAll(async () => {
      server = await startProductionServer({ seed: true });
    });
    afterAll(() => server.stop());

    it('has only curl examples that work, in their order', async () => {
      const commands = curlCommands(section('REST'));
      expect(commands.length).toBeGreaterThanOrEqual(10);
      const variables: Record<string, string> = {};
      for (const command of commands) {
        const { method, url, body, isEndless } = parseCurl(command, variables);
        const address = url.replace('http://localhost:3000', server.url);
        const response = await fetch(address, { method, ...(body === null ? {} : { body }) });
        if (isEndless) await response.body?.cancel();
        const answer = isEndless ? '' : await response.text();
        expect(response.ok, `${command}\n${response.status} ${answer}`).toBe(true);
        variables['SESSION'] ??= z.object({ id: z.string() }).parse(JSON.parse(answer)).id;
      }
    });
  });
});
