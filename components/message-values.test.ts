import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
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

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (!isNode(value)) return [];
  return [value, ...Object.values(value).flatMap(nodesIn)];
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

/** Renderings of messages in a file, with the values that they give. */
function renderings(file: string): { path: string; given: string[] }[] {
  const nodes = nodesIn(parseSync(file, readFileSync(join(root, file), 'utf8')).program);
  const namespaces = new Map(
    nodes.flatMap(({ type, id, init }) => {
      if (type !== 'VariableDeclarator' || !isNode(id) || !isNode(init) || init.type !== 'CallExpression') return [];
      const [name] = init['arguments'] as unknown[];
      const isTranslator = isNode(init['callee']) && init['callee']['name'] === 'translator';
      const [namespace] = isTranslator ? (literals(name) ?? []) : [];
      return namespace === undefined ? [] : [[id['name'], namespace] as const];
    }),
  );
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

it('gives each message the values that it takes', () => {
  const files = ['{app,components,sections}/**/*.{ts,tsx}']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/\.test\.tsx?$/.test(file));
  const found = files.flatMap((file) => renderings(file).map((each) => ({ file, ...each })));
  expect(found.length).toBeGreaterThan(1_000);
  const wrong = found.filter(({ path, given }) => {
    const taken = takes.get(path);
    return taken && (taken.length !== given.length || taken.some((name) => !given.includes(name)));
  });
  expect(wrong.map(({ file, path, given }) => `${file}: ${path} (${given.join(', ')})`)).toEqual([]);
});
