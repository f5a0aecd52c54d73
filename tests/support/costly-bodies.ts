import type { z } from 'zod';
import { maxItemsOf, partsOf } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import type { BodyLimits } from '#server/http/read-body';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

/** A body that makes a route work as much as its limits allow. */
export interface CostlyBody {
  /** What it is full of, and where: `messages.0.content: wrong items`. */
  readonly shape: string;
  /** Made when it is needed: some have 32 MB. */
  readonly text: () => string;
}

/** A place of a schema that can be filled. */
interface Place {
  readonly path: Path;
  readonly schema: Schema;
}

/** Levels of a schema that are looked at; navigation and JSON are recursive. */
const MOST_LEVELS = 8;
/** Room for everything around what is filled in. */
const MARGIN = 200;

/**
 * Bodies at the limits of a route, for each place of its schema that holds many or long values: items that are wrong,
 * items as the schema wants them, free JSON, unknown fields, and one long text.
 * @param base a body that the route accepts
 */
export function costlyBodies(schema: Schema, base: object, limits: BodyLimits): CostlyBody[] {
  const fill = (path: Path, value: (room: BodyLimits) => unknown, what: string): CostlyBody[] => {
    const around = JSON.stringify(withValue(base, path, null)).length;
    const room = { bytes: limits.bytes - around - MARGIN, values: limits.values - MARGIN };
    if (room.bytes < MARGIN || room.values < MARGIN) return [];
    return [{ shape: `${path.join('.')}: ${what}`, text: () => JSON.stringify(withValue(base, path, value(room))) }];
  };
  const bodies = placesOf(schema).flatMap(({ path, schema: place }) => {
    switch (place._zod.def.type) {
      case 'array': {
        const [element] = partsOf(place) as [Schema];
        const sample = sampleOf(element) ?? {};
        const most = maxItemsOf(place) ?? Infinity;
        return [
          ...fill(path, (room) => repeated({}, room, most), 'wrong items'),
          ...fill(path, (room) => repeated(sample, room, most), 'items'),
          ...fill(path, (room) => repeated([], room, Infinity), 'too many items'),
        ];
      }
      case 'record':
        return fill(path, fieldsOf, 'fields');
      case 'string':
        return [
          ...fill(path, ({ bytes }) => 'x'.repeat(bytes), 'one long text'),
          ...fill(path, ({ bytes }) => 'ä'.repeat(bytes / 2), 'one long text outside ASCII'),
        ];
      default:
        return fill(path, (room) => repeated({ a: [1, 'b'] }, room, Infinity), 'JSON');
    }
  });
  return [...bodies, ...fill(['zzz'], fieldsOf, 'an unknown field')];
}

/** The places of a schema, each once: arrays, records, texts and free JSON. */
function placesOf(root: Schema): Place[] {
  const found: Place[] = [];
  const visit = (schema: Schema, path: Path) => {
    if (path.length > MOST_LEVELS || found.some((each) => each.schema === schema)) return;
    const { def } = schema._zod;
    if (schema === jsonValueSchema || def.type === 'unknown' || def.type === 'any') {
      if (!found.some((each) => String(each.path) === String(path))) found.push({ path, schema });
      return;
    }
    if (def.type === 'string' || def.type === 'array' || def.type === 'record') found.push({ path, schema });
    const { shape } = def as { readonly shape?: Readonly<Record<string, Schema>> };
    if (shape) for (const [name, part] of Object.entries(shape)) visit(part, [...path, name]);
    else if (def.type === 'array') for (const part of partsOf(schema)) visit(part, [...path, 0]);
    else if (def.type === 'record') visit(partsOf(schema)[1]!, [...path, 'key']);
    else for (const part of partsOf(schema)) visit(part, path);
  };
  visit(root, []);
  return found;
}

/** A small value of a schema, as far as its kind tells; patterns of texts are not followed. */
function sampleOf(schema: Schema): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return 'x';
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'array':
      return [];
    case 'record':
      return {};
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, part]) => {
          const value = sampleOf(part);
          return value === undefined ? [] : [[name, value]];
        }),
      );
    case 'optional':
    case 'default':
    case 'prefault':
      return undefined;
    case 'null':
    case 'nullable':
      return null;
    case 'unknown':
    case 'any':
      return {};
    default: {
      const [first] = partsOf(schema);
      return first && schema !== jsonValueSchema ? sampleOf(first) : {};
    }
  }
}

/** As many of an item as fit. */
function repeated(item: unknown, { bytes, values }: BodyLimits, most: number): unknown[] {
  const text = JSON.stringify(item);
  const each = valuesIn(item);
  const length = Math.floor(Math.min(most, bytes / (text.length + 1), values / each));
  return Array.from({ length }, () => item);
}

function fieldsOf({ bytes, values }: BodyLimits): Record<string, unknown> {
  const length = Math.floor(Math.min(values, bytes / 20));
  return Object.fromEntries(Array.from({ length }, (_, index) => [`field${index}`, index]));
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** A copy with a value at a path; what is missing on the way is made. */
function withValue(base: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (typeof first === 'number') {
    const list: readonly unknown[] = Array.isArray(base) ? (base as unknown[]) : [];
    return [withValue(list[0], rest, value), ...list.slice(1)];
  }
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  return { ...object, [first]: withValue((object as Record<string, unknown>)[first], rest, value) };
}
