import { z } from 'zod';
import type { FieldChange } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import { sameJson, toJson } from '#server/core/json';
import { textsOfNotes } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import {
  appearances,
  buttonKinds,
  cornerKinds,
  fontPairs,
  footerKinds,
  headerKinds,
  phoneMenus,
  siteWidths,
  spacings,
  typeScales,
} from '#server/core/site/design/design-choices';
import {
  changedParts,
  DEFAULT_DESIGN,
  type Design,
  type DesignPatch,
  patchedDesign,
} from '#server/core/site/design/design';
import { type ThemeName, themeNames, withTheme } from '#server/core/site/design/themes';
import type { ContentBackend } from '#server/site/content-backend';
import { linkedAsset } from '#server/site/entry-links';
import { pictureColors } from '#server/site/media/picture-palette';
import { effect, siteTarget } from '#server/tools/effects';
import { notesResult } from '#server/tools/result-fields';
import { fieldsInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** The values of each part, for models: the schema of the tool is only an object, which costs fewer tokens. */
const choices = {
  theme: [...themeNames],
  colors_of: '/media/...: palette of that picture',
  publish: 'true: visitors see it at once',
  palette: 'brand, ink (text), paper (background): #rrggbb; ink 4.5:1 and brand 3:1 to paper',
  fonts: [...fontPairs],
  typeScale: [...typeScales],
  corners: [...cornerKinds],
  spacing: [...spacings],
  width: [...siteWidths],
  sectionStyle: 'plain, tinted (every second section on a band), ruled (lines, headings beside)',
  header: { kind: [...headerKinds], isSticky: [true, false], phoneMenu: [...phoneMenus] },
  footer: { kind: [...footerKinds], columns: '[{title, links: [{label, href}]}]' },
  button: [...buttonKinds],
  logo: 'light, dark: /media/...',
  icon: '/media/...',
  appearance: [...appearances],
};

/** Reads the design of the site and the possible values. */
export const getDesign = defineTool({
  name: 'get_design',
  description: 'Design.',
  input: z.object({}),
  async execute(_input, { content, noteSeen }) {
    const { draft, published, revision } = await content.design();
    noteSeen?.('design', revision);
    const isPublished = sameJson(toJson(draft), toJson(published));
    return { draft: toJson(draft), visitors_see: isPublished ? 'the draft' : toJson(published), choices };
  },
});

const designInput = z.strictObject({ parts: fieldsInput });

interface DesignChange {
  readonly patch: DesignPatch;
  readonly isPublished: boolean;
}

/** Changes the draft of the design of the site, and publishes it on request. */
export const setDesign = defineTool({
  name: 'set_design',
  description: 'Change the design.',
  input: designInput,
  writes: true,
  policy: 'ask',
  async effect(input, { content, origin }) {
    const { draft, published } = await content.design();
    const { patch, isPublished } = await wantedChange(input, draft, content);
    const notes = await content.updateDesign(patch, origin, { dryRun: true, isPublished });
    // Visitors see the whole draft afterwards, so all that is new to them is shown.
    const before = isPublished ? (published ?? DEFAULT_DESIGN) : draft;
    return effect({
      summary: serverText('change-design', { isPublished }),
      targets: [await siteTarget(content, 'design', 'Design')],
      changes: designChanges(before, patchedDesign(draft, patch)),
      warnings: textsOfNotes(notes),
    });
  },
  async execute(input, { content, origin, ifRevision }) {
    const { patch, isPublished } = await wantedChange(input, (await content.design()).draft, content);
    const change = await content.updateDesign(patch, origin, { ifRevision, isPublished });
    return {
      changeId: change.id,
      summary: change.summary,
      live: isPublished ? 'Visitors see it now.' : 'Visitors see it after publish.',
      design: toJson((await content.design()).draft),
      ...notesResult(change),
    };
  },
});

/** What a call changes. @throws InvalidInputError if it names nothing to do */
async function wantedChange(
  { parts }: z.infer<typeof designInput>,
  draft: Design,
  content: ContentBackend,
): Promise<DesignChange> {
  const { theme, publish, colors_of: picture, ...rest } = parts;
  const isPublished = publish === true;
  if (theme === undefined && picture === undefined && Object.keys(rest).length === 0 && !isPublished)
    throw new InvalidInputError('Name at least one part of the design, theme, colors_of or publish.');
  const base: Partial<Design> = {
    ...(theme !== undefined && withTheme(draft, themeNamed(theme))),
    ...(picture !== undefined && { palette: await colorsOf(picture, content) }),
  };
  // The site checks the values, and names those that are wrong.
  return { patch: { ...base, ...grouped(base, rest) }, isPublished };
}

/** The palette of a picture in the library. @throws InvalidInputError if there is none at the address */
async function colorsOf(address: unknown, { assets }: ContentBackend): Promise<Design['palette']> {
  const id = typeof address === 'string' ? linkedAsset(address) : null;
  if (id === null)
    throw new InvalidInputError('colors_of is the address of a picture in the media library: /media/...');
  return pictureColors((await assets.read(id, 'thumb')).data);
}

function themeNamed(wanted: unknown): ThemeName {
  const name = themeNames.find((each) => each === wanted);
  if (name === undefined)
    throw new InvalidInputError(`There is no such theme. The themes are ${themeNames.join(', ')}.`);
  return name;
}

/** The parts, each completed by the same part of a theme or of a picture's colours. */
function grouped(base: Partial<Design>, parts: z.infer<typeof fieldsInput>): Record<string, unknown> {
  const ofTheme: Record<string, unknown> = { ...base };
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => {
      const given = ofTheme[name];
      const isGroup = typeof value === 'object' && !Array.isArray(value) && typeof given === 'object';
      return [name, isGroup ? { ...given, ...value } : value];
    }),
  );
}

function designChanges(before: Design, after: Design): FieldChange[] {
  return changedParts(before, after).map((name) => ({
    field: name,
    kind: 'changed',
    before: toJson(before[name]),
    after: toJson(after[name]),
  }));
}
