import { describe, expect, it } from 'vitest';
import { namesIn, shapesOf, typeName } from '#components/docs/schema-types.ts';

const session = { $ref: '#/components/schemas/Session' };

describe('typeName', () => {
  it.each([
    [{ type: 'integer' }, 'integer'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'string', enum: ['draft', null], nullable: true }, '"draft" | null'],
    [{ anyOf: [session, { type: 'string' }] }, 'Session | string'],
    [{ type: 'string', enum: ['draft', 'published'] }, '"draft" | "published"'],
    [{ type: 'array', items: session }, 'list of Session'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of number'],
    [{ type: 'boolean', enum: [true] }, 'true'],
    [{}, 'any'],
  ])('%j is %s', (schema, name) => expect(typeName(schema)).toBe(name));
});

describe('shapesOf', () => {
  const point = { type: 'object', properties: { x: { type: 'number' } } };

  it('finds the fields within lists, records and unions', () => {
    for (const schema of [
      { type: 'array', items: point },
      { type: 'object', additionalProperties: point },
      { anyOf: [point, session] },
    ]) {
      expect(shapesOf(schema)).toEqual([point]);
    }
  });

  it('leaves what has a name to its own description', () => {
    const schema = { anyOf: [session, point, { type: 'array', items: session }] };
    expect(shapesOf(schema)).toEqual([point]);
    expect(namesIn(schema)).toEqual(['Session']);
  });
});
