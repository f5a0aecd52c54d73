import { z } from 'zod';
import { importFormats, importReportSchema, importStatuses } from '#server/core/imports';
import { changeSchema, conflictSchema } from '#server/http/schemas/answers/changes';
import { count, idOf, listOf, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

components.add(importReportSchema, { id: 'ImportReport' });

/** An import, running or past. */
export const importRunSchema = z
  .strictObject({
    id: idOf('imp').describe('Its changes have it as their `sessionId`'),
    filename: z.string(),
    format: z.enum(importFormats),
    status: z.enum(importStatuses),
    done: count.describe('Of `total` things of the file'),
    total: count,
    report: importReportSchema,
    error: z.string().nullable(),
    createdAt: time,
    finishedAt: time.nullable(),
  })
  .register(components, { id: 'ImportRun' });

export const importListSchema = listOf(importRunSchema);

export const undoneImportSchema = z.strictObject({
  undone: z.array(changeSchema),
  conflicts: z.array(conflictSchema),
});
