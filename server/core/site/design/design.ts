import { z } from 'zod';
import { type Shape, components, count } from '#server/core/shapes';
import {
  appearances,
  buttonKinds,
  cornerKinds,
  fontPairs,
  footerKinds,
  headerKinds,
  phoneMenus,
  sectionStyles,
  siteWidths,
  spacings,
  typeScales,
} from '#server/core/site/design/design-choices';
import { sameJson, toJson } from '#server/core/json';
import { contrast, GRAPHIC_CONTRAST, nearestPassing, TEXT_CONTRAST } from '#server/core/site/design/colors';
import { valueRules } from '#server/core/value-rules';
import { atMost, imageSourceSchema, line, linkSchema, requiredLine } from '#server/core/text/safe-text';

/* The design of a site: its colours, fonts, measures, header and footer. See docs/decisions/057-design.md. */

/** Largest numbers of columns in the footer and of links in a column. Choices: more do not fit next to each other. */
export const MAX_FOOTER_COLUMNS = 4;
export const MAX_COLUMN_LINKS = 8;

/** `#rrggbb` */
export const COLOR = /^#[0-9a-fA-F]{6}$/;
const color = z.string().regex(COLOR, valueRules.colour).describe('`#rrggbb`');
const picture = z.union([z.literal(''), imageSourceSchema]);

const footerColumn = z.strictObject({
  title: line(80).describe('Heading of the column; empty: none'),
  links: z
    .array(
      z.strictObject({
        label: requiredLine(80).describe('Text of the link'),
        href: linkSchema.describe('Address to which it leads: of this site (`/pricing`) or a whole one'),
      }),
    )
    .max(MAX_COLUMN_LINKS, atMost(MAX_COLUMN_LINKS, 'links'))
    .describe('Links of the column, in order'),
});

/** The parts of a design. Each is one value in the journal: an undo restores a whole part. */
export const designShape = {
  palette: z
    .strictObject({
      brand: z.union([z.literal(''), color]).describe('Brand colour `#rrggbb`; empty: `accentColor` of the settings'),
      ink: color.describe('Colour of texts, `#rrggbb`'),
      paper: color.describe('Colour of the background, `#rrggbb`'),
    })
    .describe('Colours, from which all shades and those of the dark appearance are derived'),
  fonts: z.enum(fontPairs).describe('Fonts of headings and of texts'),
  typeScale: z.enum(typeScales).describe('Size of headings'),
  corners: z.enum(cornerKinds).describe('Corners of buttons, pictures and cards'),
  spacing: z.enum(spacings).describe('Space between sections'),
  width: z.enum(siteWidths).describe('Width of the content'),
  sectionStyle: z
    .enum(sectionStyles)
    .describe('`tinted`: every second section has a background. `ruled`: lines between sections, headings beside them'),
  header: z
    .strictObject({
      kind: z
        .enum(headerKinds)
        .describe('`row`: name, then menu. `centered`: menu below the name. `band`: in the brand colour'),
      isSticky: z.boolean().describe('It stays at the top while scrolling'),
      phoneMenu: z.enum(phoneMenus).describe('On narrow screens: all items in a `row`, or behind a `button`'),
    })
    .describe('Header of each page'),
  footer: z
    .strictObject({
      kind: z.enum(footerKinds).describe('`row`: next to each other. `centered`. `band`: in the text colour'),
      columns: z
        .array(footerColumn)
        .max(MAX_FOOTER_COLUMNS, atMost(MAX_FOOTER_COLUMNS, 'columns'))
        .describe('Columns of links'),
    })
    .describe('Footer of each page'),
  button: z.enum(buttonKinds).describe('Look of buttons'),
  logo: z
    .strictObject({
      light: picture.describe('Address of a picture of the media library; empty: the name of the site is shown'),
      dark: picture.describe('The same for the dark appearance; empty: as `light`'),
    })
    .describe('Logo in the header'),
  icon: picture.describe('Icon for tabs and lists: a picture of the media library; empty: `icon` of the settings'),
  appearance: z.enum(appearances).describe('`auto`: light or dark, as the browser of the visitor asks'),
};

/** The design of a site. */
export const designSchema = z
  .strictObject(designShape)
  .describe('The design of a site')
  .register(components, { id: 'Design' });
export type Design = Shape<typeof designSchema>;

/** Parts of a design to change; parts that are objects may be incomplete. */
export const designPatchSchema = z
  .strictObject({
    ...designShape,
    palette: designShape.palette.partial().describe('Colours to change'),
    header: designShape.header.partial().describe('What to change about the header'),
    footer: designShape.footer.partial().describe('What to change about the footer; columns are replaced as a whole'),
    logo: designShape.logo.partial().describe('Logos to change'),
  })
  .partial()
  .register(components, { id: 'DesignPatch' });
export type DesignPatch = Shape<typeof designPatchSchema>;

/** The design of a site for which none was stored: as sites looked before they had one. */
export const DEFAULT_DESIGN: Design = {
  palette: { brand: '', ink: '#211d19', paper: '#fbf8f3' },
  fonts: 'newsreader-inter',
  typeScale: 'medium',
  corners: 'slight',
  spacing: 'medium',
  width: 'medium',
  sectionStyle: 'plain',
  header: { kind: 'row', isSticky: false, phoneMenu: 'row' },
  footer: { kind: 'row', columns: [] },
  button: 'solid',
  logo: { light: '', dark: '' },
  icon: '',
  appearance: 'auto',
};

/** A design as it was stored or exported: parts that did not exist yet have their defaults. */
export const storedDesignSchema = z.preprocess(
  (value) => (typeof value === 'object' && value !== null ? { ...DEFAULT_DESIGN, ...value } : value),
  designSchema,
);

/** The names of the parts of a design. */
const designParts = Object.keys(DEFAULT_DESIGN) as (keyof Design)[];

/** Addresses of the pictures of a design; empty strings where it has none. */
export function designPictures(design: Design | null): string[] {
  return design === null ? [] : [design.logo.light, design.logo.dark, design.icon];
}

/** The parts in which two designs differ. */
export function changedParts(from: Design, to: Design): (keyof Design)[] {
  return designParts.filter((name) => !sameJson(toJson(from[name]), toJson(to[name])));
}

/** The design with some parts changed. */
export function patchedDesign(design: Design, patch: DesignPatch): Design {
  const given = <T extends object>(part: T) =>
    Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Partial<T>;
  const { palette = {}, header = {}, footer = {}, logo = {}, ...rest } = patch;
  return {
    ...design,
    ...(given(rest) as Partial<Design>),
    palette: { ...design.palette, ...given(palette) } as Design['palette'],
    header: { ...design.header, ...given(header) } as Design['header'],
    footer: { ...design.footer, ...given(footer) } as Design['footer'],
    logo: { ...design.logo, ...given(logo) } as Design['logo'],
  };
}

/** A colour of a palette that is hard to see on the paper. */
export interface ContrastProblem {
  readonly color: 'brand' | 'ink';
  /** Contrast to the paper, rounded to one decimal. */
  readonly contrast: number;
  readonly needed: number;
  /** The nearest colour of the same hue that passes. */
  readonly nearest: string;
}

/** The colours of a palette whose contrast to the paper is below level AA of WCAG 2. */
export function contrastProblems({ brand, ink, paper }: Design['palette']): ContrastProblem[] {
  const checked = [
    { color: 'ink', value: ink, needed: TEXT_CONTRAST },
    ...(brand === '' ? [] : [{ color: 'brand', value: brand, needed: GRAPHIC_CONTRAST } as const]),
  ] as const;
  return checked.flatMap(({ color: name, value, needed }) => {
    const ratio = contrast(value, paper);
    if (ratio >= needed) return [];
    // Rounded down: a ratio below the limit must not read as one that passes.
    const shown = Math.floor(ratio * 10) / 10;
    return [{ color: name, contrast: shown, needed, nearest: nearestPassing(value, [paper], needed) }];
  });
}

/** The draft of the design, and the version that visitors see. */
export const designReportSchema = z
  .strictObject({
    draft: designSchema.describe('The design that is being edited'),
    published: designSchema.nullable().describe('The design that visitors see; null: none was published yet'),
    hasUnpublishedChanges: z.boolean().describe('True if visitors see something else than the draft'),
    revision: count.describe('Number of writes, for `ifRevision`; 0: none yet'),
  })
  .register(components, { id: 'DesignReport' });
/** The design of a site. At revision 0 none is stored, and the draft is the default. */
export type DesignState = Shape<typeof designReportSchema>;
