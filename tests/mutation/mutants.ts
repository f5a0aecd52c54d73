import { parseSync } from 'vite';

/** One small fault that could be in a file: the text from `start` to `end` is replaced. */
export interface Mutant {
  /** From the project's folder. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What kind of fault it is: `condition`, `operator`, … */
  readonly kind: string;
}

/** A node of the syntax tree, as ESTree has it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['&&', '||'],
  ['||', '&&'],
  ['??', '&&'],
  ['+=', '-='],
  ['-=', '+='],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
]);

type Fault = Omit<Mutant, 'file' | 'line'>;

/** All faults of a source file that we know how to make; types, imports and what runs only at the start are left alone. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const { program } = parseSync(file, source);
  const faults: Fault[] = [];
  visit(program as unknown as Node, null, (node, parent) => faults.push(...faultsOf(node, parent, source)));
  return faults.map((fault) => ({ file, line: source.slice(0, fault.start).split('\n').length, ...fault }));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Calls back for every node that runs. */
function visit(node: Node, parent: Node | null, see: (node: Node, parent: Node | null) => void): void {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
  const isWrapped = /^TS(As|NonNull|Satisfies)Expression$/.test(node.type);
  if (node.type.startsWith('TS') && !isWrapped) return;
  see(node, parent);
  for (const [name, value] of Object.entries(node)) {
    if (name === 'typeAnnotation') continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node, see);
  }
}

function faultsOf(node: Node, parent: Node | null, source: string): Fault[] {
  const at = ({ start, end }: Node) => ({ start, end });
  const child = (name: string): Node | null => (isNode(node[name]) ? node[name] : null);
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = child('test');
      return test ? ['true', 'false'].map((text) => ({ kind: 'condition', text, ...at(test) })) : [];
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      const [left, right, operator] = [child('left'), child('right'), String(node['operator'])];
      const other = OPERATORS.get(operator);
      // Texts are joined, and never subtracted.
      const isJoin = operator === '+' && /['"`]/.test(source.slice(node.start, node.end));
      if (!left || !right || other === undefined || isJoin) return [];
      const start = source.indexOf(operator, left.end);
      return [{ kind: 'operator', text: other, start, end: start + operator.length }];
    }
    case 'UnaryExpression': {
      const argument = child('argument');
      if (node['operator'] !== '!' || !argument) return [];
      return [{ kind: 'negation', text: source.slice(argument.start, argument.end), ...at(node) }];
    }
    case 'Literal': {
      if (typeof node['value'] === 'boolean') return [{ kind: 'literal', text: String(!node['value']), ...at(node) }];
      const isText = typeof node['value'] === 'string' && node['value'] !== '';
      return isText && parent?.type !== 'Property' ? [{ kind: 'text', text: "''", ...at(node) }] : [];
    }
    case 'ArrayExpression':
      return (node['elements'] as unknown[]).length === 0 ? [] : [{ kind: 'list', text: '[]', ...at(node) }];
    case 'BlockStatement':
      return (node['body'] as unknown[]).length === 0 ? [] : [{ kind: 'block', text: '{}', ...at(node) }];
    case 'MemberExpression':
      return node['optional'] === true || parent?.type !== 'CallExpression' ? [] : callFaults(node, parent, source);
    default:
      return [];
  }
}

/** Another method that takes the same, or none at all. */
function callFaults(member: Node, call: Node, source: string): Fault[] {
  const [object, property] = [member['object'] as Node, member['property'] as Node];
  if (call['callee'] !== member || property.type !== 'Identifier') return [];
  const name = String(property['name']);
  const other = METHODS.get(name);
  if (other !== undefined) return [{ kind: 'method', text: other, start: property.start, end: property.end }];
  if (!['filter', 'toSorted', 'toReversed', 'slice', 'trim', 'trimEnd', 'trimStart'].includes(name)) return [];
  return [{ kind: 'method', text: source.slice(object.start, object.end), start: call.start, end: call.end }];
}
