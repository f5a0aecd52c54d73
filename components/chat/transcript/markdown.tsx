import { type ComponentProps, memo, useState } from 'react';
import {
  Block,
  type Components,
  defaultRehypePlugins,
  defaultRemarkPlugins,
  Streamdown,
  type StreamdownProps,
} from 'streamdown';
import { translator } from '#components/i18n.ts';
import { hostOf, linkTarget, safeImage, useTrustedOrigins } from '#components/ui/safe-url.ts';
import { hasTooManyBlocks, limitedMarkdown } from '#server/markup/markdown-limits';
import { remarkMarkdown } from '#server/markup/markdown-dialect';
import { limitedRawHtml } from '#server/markup/limited-raw-html';
import { ExternalLinkButton } from '#components/chat/transcript/external-link-button';

const t = translator('transcript');

const components: Components = {
  a: function Link({ href, children }) {
    const target = linkTarget(typeof href === 'string' ? href : undefined, useTrustedOrigins());
    if (target === null) return <span>{children}</span>;
    const { externalHost } = target;
    if (externalHost !== null)
      return <ExternalLinkButton target={{ ...target, externalHost }}>{children}</ExternalLinkButton>;
    const isWithinPage = target.href.startsWith('#');
    return (
      <a
        href={target.href}
        {...(!isWithinPage && { target: '_blank', rel: 'noopener noreferrer nofollow' })}
        className="text-accent underline decoration-accent/40 underline-offset-3 hover:decoration-accent"
      >
        {children}
      </a>
    );
  },
  img: function Picture({ src, alt }) {
    const url = typeof src === 'string' ? src : undefined;
    const address = safeImage(url, useTrustedOrigins());
    if (address === null) {
      const host = hostOf(url) ?? '';
      const has = { hasAlt: String((alt ?? '') !== ''), hasHost: String(host !== '') };
      return <em className="text-ink-3">{t('imageBlocked', { ...has, alt: alt ?? '', host })}</em>;
    }
    return (
      <img
        src={address}
        alt={alt ?? ''}
        loading="lazy"
        referrerPolicy="no-referrer"
        className="max-h-96 rounded-md border border-rule"
      />
    );
  },
};

type RehypePlugins = NonNullable<StreamdownProps['rehypePlugins']>;

/**
 * Parses HTML in the text and removes everything but plain markup. The components above decide which addresses are
 * allowed, because they see every link and picture in its original form; none of the other remaining tags loads
 * anything.
 */
const withHtml = [defaultRehypePlugins['raw'], defaultRehypePlugins['sanitize']] as RehypePlugins;
const withoutHtml = [defaultRehypePlugins['sanitize']] as RehypePlugins;

/** Text that may contain HTML, or the footnote of a link: parsing HTML separates nested links. */
const MAY_CONTAIN_HTML = /<|\[\^/;

/** Parsing HTML means parsing the whole text once more, which is useless for a text without HTML. */
function rehypePluginsFor(text: string): RehypePlugins {
  return MAY_CONTAIN_HTML.test(text) ? withHtml : withoutHtml;
}

/** Block of a growing text. Uses no other plugins: no animation, no literal tags. */
function GrowingBlock(props: ComponentProps<typeof Block>) {
  return <Block {...props} rehypePlugins={rehypePluginsFor(props.content)} />;
}

const remarkPlugins: NonNullable<StreamdownProps['remarkPlugins']> = [
  ...Object.values({ ...defaultRemarkPlugins, gfm: remarkMarkdown }),
  limitedMarkdown,
  limitedRawHtml,
];
const LOADING_TAGS = ['picture', 'source'];

const controls = {
  table: { copy: true, download: false, fullscreen: false },
  code: { copy: true, download: false },
};

/**
 * To find the direction of a text, Streamdown searches from each bracket to the end of the text for the end of a link,
 * so many brackets are slow.
 */
const MAX_BRACKETS = 1_000;

interface MarkdownProps {
  readonly text: string;
  /** More text may follow, so unfinished markup at the end is completed. */
  readonly isOpen: boolean;
}

/**
 * Markdown from a model; a text that would take too long to parse is shown as plain text. Pictures load, and links open
 * directly, from this origin and the allowed origins only. Parsed again only when the text changes.
 */
export const Markdown = memo(function Markdown({ text, isOpen }: MarkdownProps) {
  // A text that was drawn while growing keeps its blocks: redrawn as one piece, it would move.
  const [hasGrown] = useState(isOpen);
  if (hasTooManyBlocks(text)) {
    return (
      <div className="manuscript whitespace-pre-wrap" dir="auto">
        {text}
      </div>
    );
  }
  return (
    <Streamdown
      className="manuscript"
      mode={hasGrown ? 'streaming' : 'static'}
      parseIncompleteMarkdown={isOpen}
      components={components}
      controls={controls}
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePluginsFor(text)}
      BlockComponent={GrowingBlock}
      disallowedElements={LOADING_TAGS}
      unwrapDisallowed
      lineNumbers={false}
      linkSafety={{ enabled: false }}
      {...(text.split('[', MAX_BRACKETS).length < MAX_BRACKETS && { dir: 'auto' })}
    >
      {isOpen ? withoutTableHead(text) : text}
    </Streamdown>
  );
});

const BAR_LINE = /^[ \t]*\|/;
const DELIMITERS = /^[\s|:-]*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** A growing text without a table whose first two lines are incomplete, which would appear as text with bars. */
function withoutTableHead(text: string): string {
  const lines = text.split('\n');
  const start =
    lines.findLastIndex((line, index) => !BAR_LINE.test(line) && !(index === lines.length - 1 && line === '')) + 1;
  const [head, delimiters, ...others] = lines.slice(start);
  if (head === undefined || !BAR_LINE.test(head) || others.length > 0) return text;
  if (delimiters !== undefined && !DELIMITERS.test(delimiters)) return text;
  const isCode = lines.slice(0, start).filter((line) => FENCE.test(line)).length % 2 === 1;
  return isCode ? text : lines.slice(0, start).join('\n');
}
