import { z } from 'zod';
import { type LanguageCode, languageOfTag } from '#server/core/languages';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { sectionTypes } from '#server/core/site/content';
import type { StarterKitName } from '#server/core/site/starter/starter-kits';

const kitSchema = z.strictObject({
  tagline: z.string(),
  /** Heading of the text about whom the site is for. */
  audienceHeading: z.string(),
  /** The first one is the start page. The menu has the others in this order. */
  pages: z
    .array(
      z.strictObject({
        title: z.string(),
        slug: z.string(),
        excerpt: z.string(),
        sections: z
          .array(z.strictObject({ type: z.enum(sectionTypes), fields: boundedRecord(z.string(), jsonValueSchema, 20) }))
          .max(20),
      }),
    )
    .min(1)
    .max(20),
});
export type StarterKit = z.infer<typeof kitSchema>;

/** The files of the kits, each loaded when it is used. */
const files: Readonly<Record<StarterKitName, Readonly<Record<LanguageCode, () => Promise<{ default: unknown }>>>>> = {
  studio: {
    en: () => import('#messages/kits/studio/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/studio/de.json', { with: { type: 'json' } }),
  },
  cafe: {
    en: () => import('#messages/kits/cafe/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/cafe/de.json', { with: { type: 'json' } }),
  },
  consultant: {
    en: () => import('#messages/kits/consultant/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/consultant/de.json', { with: { type: 'json' } }),
  },
  club: {
    en: () => import('#messages/kits/club/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/club/de.json', { with: { type: 'json' } }),
  },
  workshop: {
    en: () => import('#messages/kits/workshop/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/workshop/de.json', { with: { type: 'json' } }),
  },
  shop: {
    en: () => import('#messages/kits/shop/en.json', { with: { type: 'json' } }),
    de: () => import('#messages/kits/shop/de.json', { with: { type: 'json' } }),
  },
};

/** A kit with the texts of a language: German for `de-AT`, English for any other than German. */
export async function loadKit(name: StarterKitName, language: string): Promise<StarterKit> {
  return kitSchema.parse((await files[name][languageOfTag(language)]()).default);
}
