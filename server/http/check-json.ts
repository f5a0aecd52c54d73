import { InvalidInputError } from '#server/core/errors';

/** Levels of arrays and objects. Far more than any real body has, far less than what overflows a recursive reader. */
const MAX_DEPTH = 100;

/**
 * Refuses parsed JSON that could not be kept as it is: text with a NUL or half a surrogate pair, in values and in
 * names; the name `__proto__`, which assignments drop in silence; and nesting that is only meant to hurt.
 * @throws InvalidInputError
 */
export function checkJson(root: unknown): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') checkText(value);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) throw new InvalidInputError(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    if (!Array.isArray(value)) Object.keys(value).forEach(checkName);
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
}

function checkName(name: string): void {
  checkText(name);
  if (name === '__proto__') throw new InvalidInputError('The body has a field with the name "__proto__".');
}

function checkText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw new InvalidInputError('The body has broken text: a NUL character or half of a surrogate pair.');
  }
}
