import { z } from 'zod';
import { entrySchema } from '#server/core/site/content';
import { components, revision, type Shape } from '#server/core/shapes';

/** The field in which a person writes. */
const writtenPlaceSchema = z
  .strictObject({
    sectionId: z.string().min(1).max(80).nullable().describe('Null: a field of the page itself'),
    field: z.string().min(1).max(200).describe('`heading`, `items.2.question`'),
  })
  .describe('The field in which a person writes')
  .register(components, { id: 'WrittenPlace' });

/** A browser window that has a page open. */
const presenceSchema = z
  .strictObject({
    id: z.uuid().describe('Of the window'),
    name: z.string().nullable().describe('Null: nobody signs in here'),
    isMe: z.boolean().describe('The caller, in another window'),
    place: writtenPlaceSchema.nullable().describe('Null: the cursor is in no field'),
  })
  .describe('A browser window that has a page open')
  .register(components, { id: 'Presence' });
export type Presence = Shape<typeof presenceSchema>;

/** Response to a window that reports which field its cursor is in. */
export const presentSchema = z
  .strictObject({
    others: z.array(presenceSchema).describe('The other windows that have the page open'),
    revision: revision.nullable().describe('Of the page by now; null: it is not here'),
  })
  .register(components, { id: 'PresentPeople' });

/** Request with which a window reports which field its cursor is in. */
export const presenceBody = z
  .strictObject({
    windowId: z.uuid().describe('Id that the window chose for itself; the same in all its reports'),
    entryId: entrySchema.shape.id.max(80),
    place: writtenPlaceSchema.nullable().default(null).describe('Field that the cursor is in; null: none'),
    leaves: z.boolean().default(false).describe('The page is being closed'),
  })
  .register(components, { id: 'PresenceBody' });

/** A person who is writing in a field now. */
export type Writer = NonNullable<Presence['place']> & { readonly name: string | null };

/** Storage of the windows that have pages open. Each window reports repeatedly; without a report it is forgotten. */
export interface PresenceStore {
  /** Stores the report of a window. @returns the other windows on the page, and the page's revision */
  report(here: Shape<typeof presenceBody>, userId: string, siteId: string): Promise<Shape<typeof presentSchema>>;
  /** Lists the people who are writing in an entry now, with their fields. */
  writersIn(entryId: string): Promise<readonly Writer[]>;
}
