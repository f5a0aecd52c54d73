import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import * as format from '#components/format.ts';
import english from '#messages/en.json' with { type: 'json' };
import { messagePaths, readMessage } from '#tests/support/icu-messages';

const root = join(import.meta.dirname, '..');
const takes = new Map(messagePaths(english).map(([path, message]) => [path, [...readMessage(message).args.keys()]]));

/** A node of the syntax tree, with the fields that are read here. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function nodesIn(value: unknown, found: Node[] = []): Node[] {
  if (Array.isArray(value)) for (const each of value) nodesIn(each, found);
  else if (isNode(value)) {
    found.push(value);
    for (const each of Object.values(value)) nodesIn(each, found);
  }
  return found;
}

/** The texts that an expression can be; null if they are not written there. */
function literals(node: unknown): string[] | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return [node['value']];
  if (node.type !== 'ConditionalExpression') return null;
  const [one, other] = [literals(node['consequent']), literals(node['alternate'])];
  return one && other && [...one, ...other];
}

/** The names of the values in an argument; null if they are not all written there. */
function valueNames(node: unknown): string[] | null {
  if (node === undefined) return [];
  if (!isNode(node) || node.type !== 'ObjectExpression') return null;
  const names = (node['properties'] as Node[]).map(({ type, key, computed }) =>
    type === 'Property' && computed === false && isNode(key) ? String(key['name'] ?? key['value']) : null,
  );
  return names.every((name) => name !== null) ? names : null;
}

const parsed = new Map<string, { readonly program: unknown; readonly nodes: readonly Node[] }>();

/** The syntax tree of a file, and all of its nodes. */
function parse(file: string) {
  const before = parsed.get(file);
  if (before) return before;
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  const tree = { program, nodes: nodesIn(program) };
  parsed.set(file, tree);
  return tree;
}

/** Namespaces of the translators that a file makes, by the names that they have there. */
function translatorsIn(nodes: readonly Node[]): ReadonlyMap<unknown, string> {
  return new Map(
    nodes.flatMap(({ type, id, init }) => {
      if (type !== 'VariableDeclarator' || !isNode(id) || !isNode(init) || init.type !== 'CallExpression') return [];
      const [name] = init['arguments'] as unknown[];
      const isTranslator = isNode(init['callee']) && init['callee']['name'] === 'translator';
      const [namespace] = isTranslator ? (literals(name) ?? []) : [];
      return namespace === undefined ? [] : [[id['name'], namespace] as const];
    }),
  );
}

/** Renderings of messages in a file, with the values that they give. */
function renderings(file: string): { path: string; given: string[] }[] {
  const { nodes } = parse(file);
  const namespaces = translatorsIn(nodes);
  return nodes.flatMap((node) => {
    if (node.type !== 'CallExpression' || !isNode(node['callee'])) return [];
    const { callee } = node;
    const isMethod = callee.type === 'MemberExpression' && isNode(callee['object']);
    const namespace = namespaces.get(isMethod ? (callee['object'] as Node)['name'] : callee['name']);
    if (namespace === undefined || (isMethod && (callee['property'] as Node)['name'] !== 'rich')) return [];
    const [key, values] = node['arguments'] as unknown[];
    const given = valueNames(values);
    return given ? (literals(key) ?? []).map((each) => ({ path: `${namespace}.${each}`, given })) : [];
  });
}

/** Functions that write in the current language; `dates` only makes a formatter. */
const formats = Object.keys(format).filter((name) => name !== 'dates');

/** Calls that a file makes while it is loaded, not within a function, and that write in the current language. */
function loadTimeTexts(file: string): string[] {
  const { program, nodes } = parse(file);
  const translators = translatorsIn(nodes);
  const loaded = (value: unknown): Node[] => {
    if (Array.isArray(value)) return value.flatMap(loaded);
    if (!isNode(value) || value.type.includes('Function')) return [];
    return [value, ...Object.values(value).flatMap(loaded)];
  };
  return loaded(program).flatMap(({ type, callee }) => {
    if (type !== 'CallExpression' || !isNode(callee)) return [];
    const name = String((isNode(callee['object']) ? callee['object'] : callee)['name']);
    return translators.has(name) || formats.includes(name) ? [name] : [];
  });
}

/** The product's files of these folders. */
const filesIn = (folders: string) =>
  globSync(`{${folders}}/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file));

/** Texts of several words that an argument contains itself, not by a call that renders a message. */
function ownTexts(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(ownTexts);
  if (!isNode(node) || node.type === 'CallExpression') return [];
  const text =
    node.type === 'Literal'
      ? node['value']
      : node.type === 'TemplateElement'
        ? (node['value'] as { raw: string }).raw
        : '';
  const own = typeof text === 'string' && /[a-z]{2,} [a-z]/i.test(text) ? [text] : [];
  return [...own, ...Object.values(node).flatMap(ownTexts)];
}

/** Texts in the code of a file that people get as toasts, or as the subject or text of an email. */
function unrenderedTexts(file: string): string[] {
  return parse(file).nodes.flatMap((node) => {
    if (node.type === 'CallExpression' && isNode(node['callee'])) {
      const { callee } = node;
      const name = String((callee.type === 'MemberExpression' ? (callee['object'] as Node) : callee)['name']);
      return name.startsWith('toast') ? ownTexts(node['arguments']) : [];
    }
    const isOfMail =
      node.type === 'Property' && isNode(node['key']) && ['subject', 'text'].includes(String(node['key']['name']));
    return isOfMail && /server\/(platform\/mail|services|site\/forms)\//.test(file) ? ownTexts(node['value']) : [];
  });
}

it('renders every text of a toast or an email from the messages', () => {
  const files = filesIn('app,components,server').filter((file) =>
    /\btoast\w*[.(]|\bmailer\b|createTranslator/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => unrenderedTexts(file).map((text) => `${file}: ${text}`))).toEqual([]);
});

it('gives each message the values that it takes', () => {
  const files = filesIn('app,components,sections');
  const found = files.flatMap((file) => renderings(file).map((each) => ({ file, ...each })));
  expect(found.length).toBeGreaterThan(1_000);
  const wrong = found.filter(({ path, given }) => {
    const taken = takes.get(path);
    return taken && (taken.length !== given.length || taken.some((name) => !given.includes(name)));
  });
  expect(wrong.map(({ file, path, given }) => `${file}: ${path} (${given.join(', ')})`)).toEqual([]);
});

it('writes nothing in the current language while a module loads, which happens once for all', () => {
  const files = filesIn('app,components,sections');
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => loadTimeTexts(file).map((name) => `${file}: ${name}`))).toEqual([]);
});
