import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { benchReport, type Result, type Share } from '#tests/bench/context/bench-report';
import { projectPath } from '#scripts/lib/project';
import { anchorOf, helpHtml, helpName } from '#components/docs/help-text.ts';
import { helpPlaces } from '#components/ui/help-section';
import { defaultSettings } from '#server/context/settings/context-settings';
import { createBudget, pruneLimits } from '#server/context/budget';
import { sessionEventNames, sessionEventSchemas } from '#server/core/conversation/events';
import { scopes } from '#server/core/admin/access-rights';
import { strategyNames } from '#server/core/admin/strategy-names';
import { envReference } from '#server/platform/config/env';
import { statusOfError } from '#server/http/error-response';

const pagesIn = (folder: string) =>
  readdirSync(projectPath(folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []));
const decisions = pagesIn('docs/decisions');
/** Pages that the app shows, too. */
const helpful = ['docs', 'docs/reference', 'docs/internals'].flatMap(pagesIn);
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md'].filter((name) =>
    existsSync(projectPath(name)),
  ),
  ...helpful,
  ...decisions,
];
const read = (page: string) => readFileSync(projectPath(page), 'utf8');

/** The page without fenced blocks, which may contain anything. */
const prose = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```/gm, '');

/** What is written as code within a line. */
const codeOf = (page: string) => [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The name by which GitHub and the app link to a heading. */
const anchor = (heading: string) => anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));

const anchorsOf = (page: string) => [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchor(text));

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function tablesOf(page: string): Table[] {
  const blocks = prose(page).match(/^\|.*\n(?:\|.*(?:\n|$))+/gm) ?? [];
  return blocks.map((block) => {
    const [head = [], , ...rows] = block
      .trim()
      .split('\n')
      .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()));
    return { head, rows };
  });
}

const bare = (cell = '') => cell.replaceAll('`', '');

/** Rows of the one table whose first columns have these heads. */
function rowsOf(page: string, ...head: string[]): Table['rows'] {
  const [table, ...more] = tablesOf(page).filter((each) => head.every((name, index) => each.head[index] === name));
  expect(more).toEqual([]);
  return table?.rows ?? [];
}

/** Written like our variables and none of them: Claude Code's, WordPress's, SQLite's, systemd's, those of deploy/ and compose.yaml. */
const FOREIGN_NAMES = [
  'AF_INET',
  'AF_UNIX',
  'AGE_RECIPIENT',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'ANTHROPIC_MODEL',
  'APP_MEMORY',
  'DEEP_ROUNDS',
  'DEEP_SEED',
  'EMPTY_TRASH_DAYS',
  'NODE_IMAGE',
  'OPENAI_API_BASE_URL',
  'OPENAI_MODEL',
  'PROPERTY_SEED',
  'REDIS_IMAGE',
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'THROUGHLINE_KEY',
];

/** Folders of the tree: a path in the text begins with one of them. */
const FOLDERS = 'app|components|deploy|docs|drizzle|examples|prompts|public|scripts|sections|server|tests';
const ROOTS = new RegExp(String.raw`^(?:${FOLDERS})/[\w./()[\]-]*$`);

/** Whether the file of a path exists; the extension of a code file is optional. */
function isThere(path: string): boolean {
  const plain = path.replace(/\/$/, '');
  return ['', '.ts', '.tsx', '.md'].some((ending) => existsSync(projectPath(plain + ending)));
}

describe.each(pages)('%s', (page) => {
  it('links to files and headings that are there', () => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(([, link, src]) => link ?? src ?? '');
    const broken = links
      .filter((link) => !/^(?:https?:|mailto:)/.test(link))
      .filter((link) => {
        const [path = '', heading] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(projectPath(target))) return true;
        return heading !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(heading);
      });
    expect(broken).toEqual([]);
  });

  it('names files and folders that are there', () => {
    expect(codeOf(page).filter((code) => ROOTS.test(code) && !isThere(code))).toEqual([]);
  });

  it('names npm scripts that are there', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(projectPath('package.json'), 'utf8')));
    const named = [...read(page).matchAll(/npm run ([a-z][a-z0-9:-]*[a-z0-9])/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names variables that are there', () => {
    const known = new Set([...envReference().map(({ name }) => name), ...FOREIGN_NAMES]);
    const text = read(page).replaceAll(/^```ts[\s\S]*?^```/gm, '');
    const named = [...text.matchAll(/(?<![\w{$-])[A-Z]+(?:_[A-Z]+)+(?![\w*])/g)].map(([name]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('comments of the source', () => {
  const filesIn = (folder: string) =>
    readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`);
  const isSource = (path: string) => /\.(?:tsx?|mjs)$/.test(path) && !/\.test\.tsx?$/.test(path);
  const sources = ['app', 'components', 'scripts', 'sections', 'server'].flatMap(filesIn).filter(isSource);
  /** `server/core/site/content`, `#server/services`. */
  const rooted = String.raw`(?:${FOLDERS})/[\w./()[\]-]*\w`;
  /** `words.ts`, `session/drafts.tsx`. */
  const file = String.raw`[\w-]+(?:[./][\w-]+)*\.(?:tsx?|mjs)\b`;
  const named = new RegExp(String.raw`(?<![\w/.-])(?:${rooted}|${file})`, 'g');
  const commentsOf = (text: string) => text.match(/(?<=^|[\s{])(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm) ?? [];

  it('name files that are there', () => {
    const all = ['tests', 'examples', 'prompts'].flatMap(filesIn).concat(sources);
    all.push(...readdirSync(projectPath('.')).map((name) => `/${name}`));
    const isKnown = (name: string) => isThere(name) || all.some((path) => path.endsWith(`/${name}`));
    const names = sources.flatMap((path) =>
      commentsOf(read(path)).flatMap((comment) => (comment.match(named) ?? []).map((name) => ({ path, name }))),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter(({ name }) => !isKnown(name))).toEqual([]);
  });
});

describe('pages for owners', () => {
  const own = ['first-site', 'your-wordpress', 'models', 'go-live', 'troubleshooting', 'faq'];
  const owners = [...own, 'reference/access', 'reference/import-export'];
  const words = readdirSync(projectPath('components'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /words\.tsx?$/.test(name))
    .map((name) => read(join('components', name)))
    .join('\n');
  const messages = read('messages/en.json');

  it.each(owners)('%s names existing buttons', (name) => {
    const text = prose(`docs/${name}.md`).replaceAll(/\s+/g, ' ');
    const buttons = [...text.matchAll(/[Pp]ress (?:the )?\*\*([^*]+)\*\*(?: or \*\*([^*]+)\*\*)?/g)];
    const named = buttons.flatMap(([, one = '', other]) => (other === undefined ? [one] : [one, other]));
    const isButton = (label: string) => words.includes(`'${label}'`) || messages.includes(`: "${label}"`);
    expect(named.filter((label) => !isButton(label))).toEqual([]);
  });
});

describe('help in the app', () => {
  const paths = helpful.map((page) => page.slice('docs/'.length, -'.md'.length));
  const html = new Map(
    paths.map((path) => [helpName(path), helpHtml(read(`docs/${path}.md`), path, (other) => paths.includes(other))]),
  );
  const isThereInHelp = (link: string) => {
    const [name = '', hash] = link.split('#');
    const text = html.get(name === '' ? 'README' : name);
    return text !== undefined && (hash === undefined || text.includes(`id="${hash}"`));
  };

  it('has a unique name for every page in any folder', () => {
    expect(html.size).toBe(paths.length);
  });

  it('shows every page, with links to existing pages and headings, or out of the app', () => {
    const links = [...html].flatMap(([name, text]) =>
      [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) =>
        href.startsWith('#') ? `/help/${name}${href}` : href,
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    const inside = links.filter((href) => !/^https?:/.test(href));
    expect(inside.filter((href) => !isThereInHelp(href.replace(/^\/help\/?/, '')))).toEqual([]);
    expect([...html.values()].join('')).not.toMatch(/&lt;!--|<img/);
  });

  it('has the place that each "?" of the screens leads to', () => {
    expect(Object.values(helpPlaces).filter((place) => !isThereInHelp(place))).toEqual([]);
  });
});

describe('docs/internals/context-engine.md', () => {
  const page = 'docs/internals/context-engine.md';

  it('has a guide of files that are there', () => {
    const named = rowsOf(page, 'read').flatMap(([files = '']) => files.split(', ').map(bare));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => !existsSync(projectPath(`server/context/${file}`)))).toEqual([]);
  });

  it('has the defaults of the code', () => {
    const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const defaults = new Map(Object.entries(defaultSettings).map(([name, value]) => [name, text(value)]));
    const told = tablesOf(page)
      .filter(({ head }) => head[0] === 'setting' && head[1] === 'default')
      .flatMap(({ rows }) => rows.map(([name, value = '']) => [bare(name), value] as const));
    expect(told.length).toBeGreaterThan(35);
    expect(told).toEqual(told.map(([name]) => [name, defaults.get(name)]));
  });

  it('works its examples out as the code does', () => {
    const rows = rowsOf(page, 'window', 'usable').map((cells) => cells.map((cell) => Number(cell.replaceAll(',', ''))));
    expect(rows.length).toBeGreaterThan(1);
    const expected = rows.map(([contextWindow = 0]) => {
      const budget = createBudget({ contextWindow, maxOutputTokens: contextWindow }, defaultSettings, 2_400);
      const { protect, minimum } = pruneLimits(budget, defaultSettings);
      return [contextWindow, budget.usable, budget.target, budget.realTimeLimit, protect, minimum];
    });
    expect(rows).toEqual(expected);
  });

  it('has every strategy', () => {
    expect(rowsOf(page, 'name', 'compacts').map(([name]) => bare(name))).toEqual(strategyNames);
  });
});

describe('docs/reference/api.md', () => {
  const page = 'docs/reference/api.md';

  it('has every event with its data', () => {
    const told = rowsOf(page, 'event', '`data`').map(([name, data = '']) => [bare(name), data.split(', ').map(bare)]);
    const expected = sessionEventNames.map((name) => [name, Object.keys(sessionEventSchemas[name].shape)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
  });

  it('has every code of an error with its status', () => {
    const told = rowsOf(page, 'code', 'status').map(([code, status]) => [bare(code), Number(status)]);
    expect(Object.fromEntries(told)).toEqual({ ...statusOfError, internal_error: 500 });
  });

  it('has every scope', () => {
    expect(rowsOf(page, 'scope').map(([scope]) => bare(scope))).toEqual(scopes);
  });
});

it('docs/README.md links to every page', () => {
  const index = prose('docs/README.md');
  const own = helpful.filter((page) => page !== 'docs/README.md');
  expect(own.filter((page) => !index.includes(`(${page.slice('docs/'.length)})`))).toEqual([]);
});

it('docs/decisions/README.md links to every decision', () => {
  const index = prose('docs/decisions/README.md');
  const names = decisions.map(helpName).filter((name) => name !== 'README.md');
  expect(names.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

it('README.md has the measured figures of the benchmark', () => {
  const { results } = benchReport.parse(JSON.parse(read('docs/internals/benchmarks.json')));
  const figures = results.flatMap((result) =>
    result.transcript === 'coding-long' && result.contextWindow === 32_000 && result.figures ? [result] : [],
  );
  const percentOf = ({ kept, of }: Share) => Math.round((kept / of) * 100);
  const known = (result?: Result) =>
    result?.figures && [percentOf(result.figures.known), Math.round(result.figures.knownMean * 100)];
  const ours = figures.find(({ approach }) => approach.endsWith(defaultSettings.strategy));
  const others = figures.filter((result) => !result.isOurs && result.figures?.timesOver === 0).map(known);
  const best = [0, 1].map((index) => Math.max(...others.map((values) => values?.[index] ?? 0)));
  const told = prose('README.md').replaceAll(/\s+/g, ' ');
  expect(told).toContain('On a real session of 893 messages in a window of 32,000 tokens, ');
  expect([...told.matchAll(/(\d+) %/g)].map(([, percent]) => Number(percent))).toEqual([
    ...(known(ours) ?? []),
    ...best,
    ours?.figures && percentOf(ours.figures.recallable),
  ]);
});
