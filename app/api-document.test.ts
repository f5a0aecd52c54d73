import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiOperation } from '#server/core/api-document';
import { answersOf } from '#server/http/schemas/route-answer';
import { exampleRoutes } from '#app/api-examples';
import { findAllRoutes } from '#tests/support/api-routes';
import { apiDocument, apiRoutes } from '#tests/support/api-document';

const operations: [string, string, ApiOperation][] = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, string, ApiOperation] => [method, path, operation]),
);

/** Every value of a key, wherever it is. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(key, item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === key ? [each] : valuesOf(key, each)));
}

/** What a `$ref` points to. */
function resolved(ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], apiDocument);
}

describe("the API's document", () => {
  it('has every route, and no other', () => {
    const described = operations.map(([method, path]) => `${method.toUpperCase()} ${path}`);
    const found = findAllRoutes()
      .filter((route) => / \/(api|v1)\//.test(route) && !route.includes('[...path]'))
      .map((route) => route.replaceAll(/\[(?:\.{3})?(\w+)\]/g, '{$1}'));
    expect(described.toSorted()).toEqual(found.toSorted());
  });

  it('describes each operation with its access and its responses', () => {
    for (const { method, path, spec } of apiRoutes) {
      expect(spec.summary, `${method} ${path}`).toMatch(/^[A-Z].*[^.]$/);
      expect(spec.answer, `${method} ${path}`).toBeDefined();
    }
  });

  it('names each operation once', () => {
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no broken reference', () => {
    const refs = valuesOf('$ref', apiDocument);
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => resolved(String(ref)) === undefined)).toEqual([]);
  });

  it('declares every parameter of every address', () => {
    for (const [method, path, { parameters = [] }] of operations) {
      const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      const written = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      expect(declared, `${method} ${path}`).toEqual(written);
    }
  });

  it('declares the authentication, and at least one success response', () => {
    for (const [method, path, { security, responses }] of operations) {
      const schemes = security.flatMap((each) => Object.keys(each));
      expect(Object.keys(apiDocument.components.securitySchemes ?? {}), `${method} ${path}`).toEqual(
        expect.arrayContaining(schemes),
      );
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        `${method} ${path}`,
      ).toBe(true);
    }
  });

  it('has valid examples', () => {
    const names = apiRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(exampleRoutes.filter((name) => !names.includes(name))).toEqual([]);
    for (const { method, path, spec, example } of apiRoutes) {
      const name = `${method} ${path}`;
      expect(spec.query?.safeParse(example?.query).error, name).toBeUndefined();
      if (example?.body !== undefined) expect(spec.body?.safeParse(example.body).error, name).toBeUndefined();
      if (!path.startsWith('/v1/')) expect(spec.params?.safeParse(example?.params).error, name).toBeUndefined();
      for (const [status, kinds] of answersOf(spec.answer)) {
        const answer = example?.answers?.[status];
        const schema = kinds.find((kind) => kind instanceof z.ZodType);
        if (answer !== undefined) expect(schema?.safeParse(answer).error, name).toBeUndefined();
      }
    }
  });
});
