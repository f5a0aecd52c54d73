import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { boundedRecord, boundProblems } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';

const make = () =>
  z.object({
    name: z.string().optional(),
    list: z.array(z.object({ a: z.number(), inner: z.array(z.string()).max(3).optional() })).max(1_000),
    union: z.union([z.string(), z.array(z.number())]).optional(),
    free: boundedRecord(z.string(), z.number(), 3).optional(),
  });

it('collects at most ten problems in an array', () => {
  const { error } = boundProblems(make()).safeParse({ list: Array.from({ length: 1_000 }, () => ({})) });
  expect(error?.issues.map(({ path }) => path)).toEqual(Array.from({ length: 10 }, (_, index) => ['list', index, 'a']));
});

it('refuses a too long array or record without reading its items', () => {
  let seen = 0;
  const counted = z.unknown().refine(() => (seen += 1) > 0);
  const schema = boundProblems(
    z.object({ list: z.array(counted).max(2), free: boundedRecord(z.string(), counted, 2) }),
  );
  const { error } = schema.safeParse({ list: [1, 2, 3], free: { a: 1, b: 2, c: 3 } });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['list'], expect.stringContaining('2')],
    [['free'], 'may have at most 2 fields'],
  ]);
  expect(seen).toBe(0);
});

it('decides as the schema does without it, with the same value and first problems', () => {
  const item = fc.oneof(
    fc.record({ a: fc.oneof(fc.integer(), fc.string()) }, { requiredKeys: [] }),
    fc.record({ a: fc.integer(), inner: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 5 }) }),
  );
  const value = fc.record(
    {
      name: fc.oneof(fc.string(), fc.integer()),
      list: fc.array(item, { maxLength: 6 }),
      union: fc.oneof(fc.string(), fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 5 }), fc.boolean()),
      free: fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.integer(), fc.string()), { maxKeys: 3 }),
    },
    { requiredKeys: [] },
  );
  const plain = make();
  const bounded = boundProblems(make());
  fc.assert(
    fc.property(value, (input) => {
      const [expected, got] = [plain.safeParse(input), bounded.safeParse(input)];
      expect(got.data).toEqual(expected.data);
      expect(got.error?.issues.slice(0, 3)).toEqual(expected.error?.issues.slice(0, 3));
    }),
  );
});

it('checks free JSON as zod does, without a copy', () => {
  const zods = z.json();
  const value = fc.oneof(
    fc.jsonValue(),
    fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withObjectString: true }),
  );
  fc.assert(
    fc.property(value, (input) => {
      expect(jsonValueSchema.safeParse(input).success).toBe(zods.safeParse(input).success);
    }),
  );
  const given = { a: [1, { b: 'c' }] };
  expect(jsonValueSchema.parse(given)).toBe(given);
});
