import { z } from 'zod';
import { changeSchema } from '#server/core/site/changes';
import { entryTypes } from '#server/core/site/content';
import { components, countedPageOf, type Shape } from '#server/core/shapes';

/* The trash: deleted entries and pictures, which can be restored. */

/** Kinds of lists of the trash. */
export const trashKinds = ['entries', 'media'] as const;
export type TrashKind = (typeof trashKinds)[number];

/** A query of the trash. */
export interface TrashQuery {
  readonly kind: TrashKind;
  readonly limit: number;
  /** `nextCursor` of the previous page, from a query of the same kind. */
  readonly cursor?: string | undefined;
}

/** Fields of all items. `change`: the deletion; null if the journal does not contain it. */
const trashed = {
  id: z.string().min(1).describe('Id of the entry or picture'),
  title: z.string().describe('Title of the entry, or filename of the picture'),
  change: changeSchema.nullable().describe('The deletion; null: the journal does not contain it'),
};
/** A deleted entry or picture. */
const trashItemSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        ...trashed,
        type: z.enum(entryTypes).describe('Kind of the entry'),
        slug: z.string().min(1).describe('Slug that it had'),
      })
      .register(components, { id: 'TrashedEntry' }),
    /** A picture; its title is the filename. */
    z
      .strictObject({
        ...trashed,
        type: z.literal('asset').describe('A picture'),
        thumbnailUrl: z
          .string()
          .min(1)
          .describe('Path of its thumbnail on this server, for people who may see the trash'),
        alt: z.string().describe('What it shows; empty: nobody has said so'),
      })
      .register(components, { id: 'TrashedAsset' }),
  ])
  .register(components, { id: 'TrashItem' });
export type TrashItem = Shape<typeof trashItemSchema>;
export const trashPageSchema = countedPageOf(trashItemSchema).register(components, { id: 'TrashPage' });
export type TrashPage = Shape<typeof trashPageSchema>;
