import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonValueCounter } from '#server/core/json-scan';

/** Values of parsed JSON, counted the slow way. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** Fields of the largest object; 0 if none has two. */
function mostFieldsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  const own = Array.isArray(value) || inner.length < 2 ? 0 : inner.length;
  return inner.reduce<number>((most, each) => Math.max(most, mostFieldsIn(each)), own);
}

it('counts the values of any JSON, however it is cut into pieces and indented', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), fc.boolean(), (value, size, isIndented) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value, null, isIndented ? 2 : 0));
      const counter = new JsonValueCounter();
      for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
      // fast-check may make a field named __proto__, which assignments drop but JSON.parse keeps.
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect(counter.count).toBe(valuesIn(parsed));
      expect(counter.mostFields).toBe(mostFieldsIn(parsed));
    }),
  );
});

it.each([
  ['[{},{},[ ]]', 4],
  ['{"a":"[,{\\"","b":"\\\\"}', 3],
  ['"only a text, with a comma"', 1],
])('counts %s as %i values', (text, count) => {
  const counter = new JsonValueCounter();
  counter.add(new TextEncoder().encode(text));
  expect(counter.count).toBe(count);
});
