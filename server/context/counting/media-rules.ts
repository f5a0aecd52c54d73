import type { ImageSize } from '#server/core/image-size';

/** How one family of models charges for media, in its own tokens: no factor is to be applied to them. */
export interface MediaRule {
  readonly image: (size: ImageSize) => number;
  /** A page of a PDF: its picture, its text, or both, as the provider sends them to the model. */
  readonly pdfPage: number;
}

/* A page as a picture (765 or so) and as text (about as much again). */
const OPENAI_PAGE = 1_600;
/* "1,500 to 3,000 tokens per page", and a picture of it; dense pages were measured at 2,750 to 3,150. */
const CLAUDE_PAGE = 3_000;

/**
 * The published formulas, first match wins; names as `ruleFor` makes them. Sources: OpenAI "Images and vision,
 * calculating costs" (tiles of 512 pixels, or patches of 32), Anthropic "Vision" (width x height / 750, larger images
 * scaled down first; from Opus 4.7 on with a higher limit), Google "Understand and count tokens" and "Media resolution"
 * (258 a tile of 768 pixels; from Gemini 3 on a fixed 1,120).
 */
const rules: readonly (readonly [name: RegExp, rule: MediaRule])[] = [
  [/^gpt-4o-mini/, openai(tiles(2_833, 5_667))],
  [/^gpt-(4-1|5|5-\d)-mini/, openai(patches(1_536, 1.62))],
  [/^gpt-(4-1|5|5-\d)-nano/, openai(patches(1_536, 2.46))],
  [/^o4-mini/, openai(patches(1_536, 1.72))],
  [/^gpt-5-[23]/, openai(patches(1_536, 1.2))],
  [/^gpt-(5-[4-9]|[6-9])/, openai(patches(10_000, 1.2))],
  [/^gpt-5/, openai(tiles(70, 140))],
  [/^o[13](-|$)/, openai(tiles(75, 150))],
  [/^(gpt-4|chatgpt)/, openai(tiles(85, 170))],
  [/^claude-([123]|(opus|sonnet|haiku)-4(-[0-6])?$)/, { image: area(1_568, 1_600), pdfPage: CLAUDE_PAGE }],
  [/^claude/, { image: area(2_576, 4_784), pdfPage: CLAUDE_PAGE }],
  [/^gemini-[12](-|$)/, { image: googleTiles, pdfPage: 258 }],
  [/^gemini/, { image: () => 1_120, pdfPage: 560 }],
];

/** A model we know no formula of: what most charge at most for a photo, and a page as its text. */
const cautious: MediaRule = { image: area(1_568, 1_600), pdfPage: 1_500 };

/** The rule for a model id in any form (`anthropic/claude-sonnet-4.5:beta`, `claude-sonnet-4-5-20250929`). */
export function ruleFor(modelId: string | null): MediaRule {
  if (modelId === null) return cautious;
  const bare = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  const name = bare
    .replace(/[:@].*$/, '')
    .replace(/-(\d{8}|latest)$/, '')
    .replaceAll('.', '-');
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? cautious;
}

function openai(image: MediaRule['image']): MediaRule {
  return { image, pdfPage: OPENAI_PAGE };
}

/** Scaled into 2,048 x 2,048, then the shorter side to 768; a base price and one for each tile of 512 pixels. */
function tiles(base: number, tile: number): MediaRule['image'] {
  return (size) => {
    const fitted = shrink(size, 2_048 / Math.max(size.width, size.height));
    const { width, height } = shrink(fitted, 768 / Math.min(fitted.width, fitted.height));
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512);
  };
}

/** Patches of 32 x 32 pixels up to a limit, times the model's multiplier. */
function patches(limit: number, multiplier: number): MediaRule['image'] {
  return ({ width, height }) => Math.ceil(Math.min(limit, Math.ceil(width / 32) * Math.ceil(height / 32)) * multiplier);
}

/** Width x height / 750 after scaling the longer side to `edge`, and no more than `limit`. */
function area(edge: number, limit: number): MediaRule['image'] {
  return (size) => {
    const { width, height } = shrink(size, edge / Math.max(size.width, size.height));
    return Math.min(limit, Math.ceil((width * height) / 750));
  };
}

/** 258 for a small image, else for each tile of 768 pixels after scaling into 3,072 x 3,072. */
function googleTiles(size: ImageSize): number {
  if (size.width <= 384 && size.height <= 384) return 258;
  const { width, height } = shrink(size, 3_072 / Math.max(size.width, size.height));
  return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}

/** Never enlarges; rounded to whole pixels, at least one. */
function shrink({ width, height }: ImageSize, scale: number): ImageSize {
  if (scale >= 1) return { width, height };
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
