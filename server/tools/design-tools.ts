import { z } from 'zod';
import type { ContentBackend } from '#server/site/content-backend';
import type { FieldChange } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import { sameJson, toJson } from '#server/core/json';
import { serverText } from '#server/core/messages/server-text';
import {
  appearances,
  buttonKinds,
  cornerKinds,
  type Design,
  designParts,
  type DesignPatch,
  fontPairs,
  footerKinds,
  headerKinds,
  patchedDesign,
  phoneMenus,
  siteWidths,
  spacings,
  typeScales,
} from '#server/core/site/design/design';
import { type ThemeName, themeNames, withTheme } from '#server/core/site/design/themes';
import { effect, siteTarget } from '#server/tools/effects';
import { notesResult } from '#server/tools/result-fields';
import { fieldsInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** The values of each part, for models: the schema of the tool is only an object, which costs fewer tokens. */
const choices = {
  theme: [...themeNames],
  publish: 'true: visitors see it at once',
  palette: 'brand, ink (text), paper (background): #rrggbb; ink 4.5:1 and brand 3:1 to paper',
  fonts: [...fontPairs],
  typeScale: [...typeScales],
  corners: [...cornerKinds],
  spacing: [...spacings],
  width: [...siteWidths],
  header: { kind: [...headerKinds], isSticky: [true, false], phoneMenu: [...phoneMenus] },
  footer: { kind: [...footerKinds], columns: '[{title, links: [{label, href}]}]' },
  button: [...buttonKinds],
  logo: 'light, dark: /media/...',
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

interface DesignRequest {
  readonly theme: unknown;
  readonly isPublished: boolean;
  readonly parts: z.infer<typeof fieldsInput>;
}

/** What a call asks for: `theme` and `publish` are named beside the parts of the design. */
function requested({ parts }: z.infer<typeof designInput>): DesignRequest {
  const { theme, publish, ...rest } = parts;
  return { theme, isPublished: publish === true, parts: rest };
}

/** Changes the draft of the design of the site, and publishes it on request. */
export const setDesign = defineTool({
  name: 'set_design',
  description: 'Change the design.',
  input: designInput,
  writes: true,
  policy: 'ask',
  async effect(input, { content, origin }) {
    const { draft } = await content.design();
    const request = requested(input);
    const wanted = wantedPatch(request, draft);
    if (wanted !== null) await content.updateDesign(wanted, origin, { dryRun: true });
    else await content.publishDesign(origin, { dryRun: true });
    return effect({
      summary: serverText('change-design', { isPublished: request.isPublished }),
      targets: [await siteTarget(content, 'design', 'Design')],
      changes: wanted === null ? await publishedChanges(content) : designChanges(draft, patchedDesign(draft, wanted)),
    });
  },
  async execute(input, { content, origin, ifRevision }) {
    const { draft } = await content.design();
    const request = requested(input);
    const wanted = wantedPatch(request, draft);
    const written = wanted === null ? null : await content.updateDesign(wanted, origin, { ifRevision });
    const conditions = written === null ? { ifRevision } : {};
    const published = request.isPublished ? await content.publishDesign(origin, conditions) : null;
    const change = written ?? published;
    if (change === null) throw new InvalidInputError('Name at least one part of the design, theme or publish.');
    return {
      changeId: change.id,
      ...(written !== null && published !== null && { publishedBy: published.id }),
      summary: change.summary,
      live: published === null ? 'Visitors see it after publish.' : 'Visitors see it now.',
      design: toJson((await content.design()).draft),
      ...notesResult(change),
    };
  },
});

/** The parts to change; null: the draft is only published. @throws InvalidInputError if the input names nothing to do */
function wantedPatch({ theme, parts, isPublished }: DesignRequest, draft: Design): DesignPatch | null {
  if (theme === undefined && Object.keys(parts).length === 0) {
    if (isPublished) return null;
    throw new InvalidInputError('Name at least one part of the design, theme or publish.');
  }
  const base = theme === undefined ? {} : withTheme(draft, themeNamed(theme));
  // The site checks the values, and names those that are wrong.
  return { ...base, ...grouped(base, parts) };
}

function themeNamed(wanted: unknown): ThemeName {
  const name = themeNames.find((each) => each === wanted);
  if (name === undefined)
    throw new InvalidInputError(`There is no such theme. The themes are ${themeNames.join(', ')}.`);
  return name;
}

/** The parts, each completed by the same part of a theme. */
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
  return designParts
    .filter((name) => !sameJson(toJson(before[name]), toJson(after[name])))
    .map((name) => ({ field: name, kind: 'changed', before: toJson(before[name]), after: toJson(after[name]) }));
}

async function publishedChanges(content: ContentBackend): Promise<FieldChange[]> {
  const { draft, published } = await content.design();
  return published === null ? [] : designChanges(published, draft);
}
