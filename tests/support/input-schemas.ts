import type { z } from 'zod';
import { messageFormats } from '#server/conversation/import/import-messages';
import { siteDocumentSchema } from '#server/import-export/plan/export-format';
import type { Handler } from '#server/http/route';
import { tools } from '#server/tools/index';

const modules = import.meta.glob<Partial<Record<string, Handler>>>('/app/**/route.ts', { eager: true });

/** A route with what it reads. */
export interface InputRoute {
  /** `POST /api/sessions/[id]/import` */
  readonly name: string;
  readonly spec: Handler['spec'];
}

/** Every route of the app. */
export function inputRoutes(): readonly InputRoute[] {
  return Object.entries(modules).flatMap(([file, handlers]) =>
    Object.entries(handlers).flatMap(([method, handler]) =>
      handler?.spec ? [{ name: `${method} ${placeOf(file)}`, spec: handler.spec }] : [],
    ),
  );
}

const placeOf = (file: string) => file.slice('/app'.length, -'/route.ts'.length).replace(/\/\([^)]+\)/g, '');

/** Every schema that checks what comes from outside, by name: of routes, tools, imported messages and site files. */
export function inputSchemas(): readonly (readonly [name: string, schema: z.core.$ZodType])[] {
  return [
    ...inputRoutes().flatMap(({ name, spec }) =>
      (['params', 'query', 'body'] as const).flatMap((part) =>
        spec[part] ? [[`${name} ${part}`, spec[part]] as const] : [],
      ),
    ),
    ...tools.map(({ name, input }) => [`tool ${name}`, input] as const),
    ...messageFormats.map((schema, index) => [`imported message ${index + 1}`, schema] as const),
    ['imported site', siteDocumentSchema],
  ];
}
