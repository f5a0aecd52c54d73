import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiSchema } from '#server/core/api-document';
import { bytesBody } from '#server/http/read-body';
import { withoutSecurity } from '#server/http/openapi/openapi-document';
import { apiDocument, apiRoutes } from '#tests/support/api-document';

/* The document must be readable for generators of strictly typed clients: see docs/decisions/028. */

const { schemas, responses } = apiDocument.components;
const operations = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** A schema anywhere in the document, and where it is. */
interface PlacedSchema {
  readonly place: string;
  readonly schema: ApiSchema;
}

function withParts(place: string, schema: ApiSchema): PlacedSchema[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema;
  return [
    { place, schema },
    ...Object.entries(properties).flatMap(([name, each]) => withParts(`${place}.${name}`, each)),
    ...(items ? withParts(`${place}[]`, items) : []),
    ...(typeof additionalProperties === 'object' ? withParts(`${place}{}`, additionalProperties) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((each, index) => withParts(`${place}|${index}`, each)),
  ];
}

/** The JSON schemas of all requests and successful responses. */
const contents = operations.flatMap(({ name, operation }) =>
  [
    operation.requestBody?.content,
    ...Object.values(operation.responses).map((each) => 'content' in each && each.content),
  ]
    .flatMap((content) => (content ? Object.entries(content) : []))
    .map(([type, { schema }]) => ({ place: `${name} ${type}`, type, schema })),
);
const parameters = operations.flatMap(({ name, operation }) =>
  (operation.parameters ?? []).map((parameter) => ({ place: `${name} ?${parameter.name}`, ...parameter })),
);
const all = [
  ...Object.entries(schemas).flatMap(([name, schema]) => withParts(name, schema)),
  ...contents.flatMap(({ place, schema }) => withParts(place, schema)),
  ...parameters.flatMap(({ place, schema }) => withParts(place, schema)),
];

/** Places of the schemas for which the predicate is true. */
const places = (isWrong: (schema: ApiSchema) => boolean) =>
  all.flatMap(({ place, schema }) => (isWrong(schema) ? [place] : []));

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);
const named = ({ $ref }: ApiSchema) => ($ref === undefined ? undefined : schemas[nameOf($ref)]);
const membersOf = ({ anyOf, oneOf }: ApiSchema) => anyOf ?? oneOf ?? [];

describe('the document contains no', () => {
  it('list of types, and no type of null alone', () => {
    expect(places(({ type }) => Array.isArray(type) || type === 'null')).toEqual([]);
  });

  it('default of null', () => {
    expect(places((schema) => 'default' in schema && schema.default === null)).toEqual([]);
  });

  it('union of one member, of a member without a name, or of another union', () => {
    const unions = places((schema) => membersOf(schema).length > 0);
    expect(unions.length).toBeGreaterThan(20);
    expect(places((schema) => membersOf(schema).length === 1)).toEqual([]);
    expect(places((schema) => membersOf(schema).some(({ $ref }) => $ref === undefined))).toEqual([]);
    expect(places((schema) => membersOf(schema).some((member) => membersOf(named(member) ?? {}).length > 0))).toEqual(
      [],
    );
  });

  it('schema that refers to itself, except that of the menu', () => {
    const refsOf = (name: string) =>
      withParts('', schemas[name] ?? {}).flatMap(({ schema: { $ref } }) => ($ref === undefined ? [] : [nameOf($ref)]));
    const reaches = (name: string, goal: string, seen = new Set<string>()): boolean =>
      refsOf(name).some((next) => {
        if (next === goal) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return reaches(next, goal, seen);
      });
    expect(Object.keys(schemas).filter((name) => reaches(name, name))).toEqual(['NavigationItem']);
  });

  it('name that hides one of a programming language', () => {
    const words =
      'Any Awaited Boolean Character Class Dict Document Element Exception Exclude Extract File History Image Integer Json ' +
      'List Location Long Node None Object Omit Option Optional Parameters Partial Pick Process Readonly Record Required ' +
      'Runtime Selection System Text Thread Tuple Type Union Void Warning';
    const taken = new Set([...Object.getOwnPropertyNames(globalThis), ...words.split(' ')]);
    expect(Object.keys(schemas).filter((name) => taken.has(name))).toEqual([]);
    expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  it('pattern that only JavaScript understands', () => {
    expect(places(({ pattern = '' }) => /\\[pP]\{|\(\?[=!<]/.test(pattern))).toEqual([]);
  });

  it('required property without a definition', () => {
    const undefinedOnes = ({ required = [], properties = {} }: ApiSchema) =>
      required.filter((name) => !(name in properties));
    expect(places((schema) => undefinedOnes(schema).length > 0)).toEqual([]);
  });

  it('named schema that nothing uses', () => {
    const text = JSON.stringify(apiDocument);
    expect(Object.keys(schemas).filter((name) => !text.includes(`schemas/${name}"`))).toEqual([]);
  });
});

describe('the document', () => {
  it('names the schema of every request and every response', () => {
    const json = contents.filter(({ type }) => type === 'application/json');
    expect(json.length).toBeGreaterThan(200);
    const unnamed = json.filter(({ schema }) => schema.$ref === undefined && schema.format !== 'binary');
    expect(unnamed.map(({ place }) => place)).toEqual([]);
  });

  it('declares the size of every integer, 64 bits for times', () => {
    expect(places(({ type, format = '' }) => type === 'integer' && !['int32', 'int64'].includes(format))).toEqual([]);
    const times = all.filter(
      ({ schema: { type, description = '' } }) => type === 'integer' && /epoch/i.test(description),
    );
    expect(times.length).toBeGreaterThan(50);
    expect(times.filter(({ schema }) => schema.format !== 'int64').map(({ place }) => place)).toEqual([]);
  });

  it('closes the objects of requests that refuse unknown fields', () => {
    const open = apiRoutes.flatMap(({ method, path, spec: { body } }) => {
      const isStrict = body instanceof z.ZodObject && body.def.catchall instanceof z.ZodNever;
      const content = apiDocument.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'];
      return isStrict && named(content?.schema ?? {})?.additionalProperties !== false ? [`${method} ${path}`] : [];
    });
    expect(open).toEqual([]);
    expect(places(({ additionalProperties }) => additionalProperties === false).length).toBeGreaterThan(60);
  });

  it('has base64 in the form of OpenAPI 3.0', () => {
    expect(places((schema) => 'contentEncoding' in schema)).toEqual([]);
    expect(places(({ format }) => format === 'byte').length).toBeGreaterThan(0);
  });

  it('describes every operation and parameter', () => {
    expect(operations.filter(({ operation }) => !operation.description).map(({ name }) => name)).toEqual([]);
    expect(parameters.filter(({ description }) => !description).map(({ place }) => place)).toEqual([]);
  });

  /** Schemas of formats that others define (/v1). Few of their fields have a description; the number must only shrink. */
  const FOREIGN = /^(?:Anthropic|OpenAi|OpenResponse)/;
  const UNDESCRIBED_FOREIGN = 265;

  it('describes every field of every schema', () => {
    const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, schema]) => ({ place: `${name}.${field}`, field, schema })),
    );
    expect(fields.length).toBeGreaterThan(1_000);
    // OpenAPI 3.0 allows no description at a reference; the referenced schema has one.
    const textOf = (schema: ApiSchema) => schema.description ?? named(schema)?.description ?? '';
    const words = (text: string) => text.toLowerCase().replaceAll(/\b(?:the|a|an|of)\b|[^a-z]/g, '');
    const saysNothing = fields.filter(({ field, schema }) => ['', words(field)].includes(words(textOf(schema))));
    const isForeign = ({ place }: { readonly place: string }) => FOREIGN.test(place);
    expect(saysNothing.filter((field) => !isForeign(field)).map(({ place }) => place)).toEqual([]);
    expect(saysNothing.filter(isForeign).length).toBeLessThanOrEqual(UNDESCRIBED_FOREIGN);
  });

  it('gives examples of parameters in the type of their schema', () => {
    const wrong = parameters.filter(
      ({ example, schema }) =>
        example !== undefined &&
        (schema.type === 'integer') !== (typeof example === 'number') &&
        schema.type !== 'number',
    );
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  it('lists the media types of uploads, and the statuses of budgets and slow bodies', () => {
    for (const { method, path, spec } of apiRoutes) {
      const operation = apiDocument.paths[path]?.[method.toLowerCase()];
      const types = Object.keys(operation?.requestBody?.content ?? {});
      const statuses = Object.keys(operation?.responses ?? {});
      if (spec.body === bytesBody) expect(types, path).not.toContain('*/*');
      if (spec.body === bytesBody) expect(types.length, path).toBeGreaterThan(1);
      if (spec.startsTurn) expect(statuses, path).toContain('402');
      if (method !== 'GET' && !spec.ignoresBody) expect(statuses, path).toEqual(expect.arrayContaining(['408', '409']));
    }
  });

  it('asks for no security in local mode', () => {
    const local = withoutSecurity(apiDocument);
    const asked = Object.values(local.paths).flatMap((methods) =>
      Object.values(methods).flatMap((each) => each.security),
    );
    expect(asked).toEqual([]);
    expect(local.components.securitySchemes).toBeUndefined();
    expect(Object.keys(local.components.responses)).toEqual(Object.keys(responses));
  });
});
