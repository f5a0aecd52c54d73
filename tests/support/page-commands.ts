import { readFileSync } from 'node:fs';

/** The text of a page of the project, by its path. */
export function readPage(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Every command in the pages' fences for shells, in order; a command may go on over several lines. */
export function shellCommands(page: string): string[] {
  const blocks = [...page.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split(/\n(?=[a-z])/)).map((command) => command.trim());
}

export interface CurlCommand {
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

/** What a curl command asks for; of curl's options those that our pages use. */
export function parseCurl(command: string, variables: Readonly<Record<string, string>>): CurlCommand {
  const [program, ...words] = shellWords(command, variables);
  if (program !== 'curl') throw new Error(`This is no curl command: ${command}`);
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
