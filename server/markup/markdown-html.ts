import { micromark, type Options } from 'micromark';
import { gfmHtml } from 'micromark-extension-gfm';
import { createTextCache } from '#server/core/bounded-map';
import { markdownSyntax } from '#server/markup/markdown-dialect';
import {
  checkMarkdownBlocks,
  MAX_BLOCK_STEPS,
  MAX_TEXT_STEPS,
  textLimits,
  withinLimits,
} from '#server/markup/markdown-limits';

interface RenderedMarkdown {
  /** Null for a text that would cost too much. */
  readonly html: string | null;
  /** Share of the maximum cost of one text: 1 is all of it. */
  readonly cost: number;
}

/** Maximum characters of texts and their HTML in the cache: at most 32 MB of memory (two bytes per character). */
const CACHE_CHARACTERS = 16_000_000;
const cached = createTextCache<RenderedMarkdown>(CACHE_CHARACTERS, ({ html }) => html?.length ?? 0);

/** Converts markdown to HTML (see {@link markdownHtml}) and measures its cost. */
export function renderMarkdown(markdown: string): RenderedMarkdown {
  return cached(markdown, () => {
    const meter = { textSteps: 0 };
    const options: Options = { extensions: [markdownSyntax(), textLimits(meter)], htmlExtensions: [gfmHtml()] };
    const html = withinLimits(markdown, () => micromark(markdown, options));
    if (html === null) return { html, cost: 1 };
    const cost = checkMarkdownBlocks(markdown) / MAX_BLOCK_STEPS + meter.textSteps / MAX_TEXT_STEPS;
    return { html, cost: Math.min(1, cost) };
  });
}

/**
 * Converts markdown to HTML that is safe by construction: HTML in it is escaped, and so are addresses other than
 * http(s), mailto and similar schemes. Null for a text that would cost too much; callers show it unformatted.
 */
export function markdownHtml(markdown: string): string | null {
  return renderMarkdown(markdown).html;
}
