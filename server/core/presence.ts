import { z } from 'zod';
import { entrySchema } from '#server/core/content';
import { revision, type Shape } from '#server/core/shapes';

/** Field that somebody's cursor is in. */
const writtenPlaceSchema = z.strictObject({
  sectionId: z.string().min(1).max(80).nullable().describe('Null: a field of the page itself'),
  field: z.string().min(1).max(200).describe('`heading`, `items.2.question`'),
});

/** A browser window in which a page is open. */
const presenceSchema = z.strictObject({
  id: z.uuid().describe('Of the window'),
  name: z.string().nullable().describe('Null: nobody signs in here'),
  isMe: z.boolean().describe('The caller, in another window'),
  place: writtenPlaceSchema.nullable().describe('Null: the cursor is in no field'),
});
export type Presence = Shape<typeof presenceSchema>;

/** Answer to a window that says where it is. */
export const presentSchema = z.strictObject({
  others: z.array(presenceSchema),
  revision: revision.nullable().describe('Of the page by now; null: it is not here'),
});

/** Body of a window that says where it is. */
export const hereBody = z.strictObject({
  windowId: z.uuid(),
  entryId: entrySchema.shape.id.max(80),
  place: writtenPlaceSchema.nullable().default(null),
  leaves: z.boolean().default(false).describe('The page is being closed'),
});

/** Somebody who writes in a field now. */
export type Writer = Pick<Presence, 'name'> & NonNullable<Presence['place']>;

/** Windows in which pages are open. Each says so again and again; what is not said any more ends by itself. */
export interface PresenceStore {
  /** Notes where a window is. @returns the other windows on the page, and the page's revision */
  note(here: Shape<typeof hereBody>, userId: string, siteId: string): Promise<Shape<typeof presentSchema>>;
  /** Writers in an entry with their fields. */
  writersIn(entryId: string): Promise<readonly Writer[]>;
}
