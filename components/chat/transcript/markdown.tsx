import { ArrowUpRight } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import {
  Block,
  type Components,
  defaultRehypePlugins,
  defaultRemarkPlugins,
  Streamdown,
  type StreamdownProps,
} from 'streamdown';
import { CopyButton } from '#components/ui/buttons';
import { focusItself } from '#components/ui/focus';
import { Popover } from '#components/ui/menus';
import { hostOf, linkTarget, type LinkTarget, safeImage, useTrustedOrigins } from '#components/ui/safe-url';
import { strings } from '#components/words';
import { outsideLinkStrings, transcriptStrings } from '#components/chat/session/words';
import { hasTooManyBlocks, limitedMarkdown, limitedRawHtml } from '#server/markup/markdown';

const components: Components = {
  a: function Link({ href, children }) {
    const target = linkTarget(typeof href === 'string' ? href : undefined, useTrustedOrigins());
    if (target === null) return <span>{children}</span>;
    const { externalHost } = target;
    if (externalHost !== null)
      return <ExternalLinkButton target={{ ...target, externalHost }}>{children}</ExternalLinkButton>;
    const isHere = target.href.startsWith('#');
    return (
      <a
        href={target.href}
        {...(!isHere && { target: '_blank', rel: 'noopener noreferrer nofollow' })}
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
      return <em className="text-ink-3">{transcriptStrings.imageBlocked(alt ?? '', hostOf(url))}</em>;
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
 * HTML in the text is read, and cleaned of everything but plain markup. Which addresses are good is decided by the
 * components above, which see every link and picture as it was written; of the tags that are left, no other loads
 * anything but these.
 */
const withHtml = [defaultRehypePlugins['raw'], defaultRehypePlugins['sanitize']] as RehypePlugins;
const withoutHtml = [defaultRehypePlugins['sanitize']] as RehypePlugins;

/** Text that may hold HTML, or the footnote of a link: reading HTML takes a link out of the link around it. */
const MAY_NEED_READING = /<|\[\^/;

/** To read HTML, all of a text is parsed once more: where there can be none, that would be in vain. */
function rehypePluginsFor(text: string): RehypePlugins {
  return MAY_NEED_READING.test(text) ? withHtml : withoutHtml;
}

/** Block of a growing text. It has no other plugins: nothing is animated, and nothing is taken literally. */
function GrowingBlock(props: ComponentProps<typeof Block>) {
  return <Block {...props} rehypePlugins={rehypePluginsFor(props.content)} />;
}

const remarkPlugins: NonNullable<StreamdownProps['remarkPlugins']> = [
  ...Object.values(defaultRemarkPlugins),
  limitedMarkdown,
  limitedRawHtml,
];
const LOADING_TAGS = ['picture', 'source'];

const controls = {
  table: { copy: true, download: false, fullscreen: false },
  code: { copy: true, download: false },
};

/** To find the direction of a text, Streamdown looks for the end of a link from each bracket on to the end of the text. */
const MAX_BRACKETS = 1_000;

interface MarkdownProps {
  readonly text: string;
  /** More text may follow: unfinished markup at the end is completed. */
  readonly isOpen: boolean;
}

/**
 * Markdown from a model; a text that would take too long to read is shown as it is written. Pictures load, and links open at once, from this origin and the allowed ones
 * only.
 */
export default function Markdown({ text, isOpen }: MarkdownProps) {
  // A text that was seen growing stays as it was drawn: drawn anew in one piece, it would move.
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
}

const BAR_LINE = /^[ \t]*\|/;
const DELIMITERS = /^[\s|:-]*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** A growing text without a table of which the first two lines are not there yet: it would show as text with bars. */
export function withoutTableHead(text: string): string {
  const lines = text.split('\n');
  const start =
    lines.findLastIndex((line, index) => !BAR_LINE.test(line) && !(index === lines.length - 1 && line === '')) + 1;
  const [head, delimiters, ...others] = lines.slice(start);
  if (head === undefined || !BAR_LINE.test(head) || others.length > 0) return text;
  if (delimiters !== undefined && !DELIMITERS.test(delimiters)) return text;
  const isCode = lines.slice(0, start).filter((line) => FENCE.test(line)).length % 2 === 1;
  return isCode ? text : lines.slice(0, start).join('\n');
}

interface ExternalLinkProps {
  readonly target: LinkTarget & { readonly externalHost: string };
  readonly children: ReactNode;
}

/**
 * A link to a site that nobody vouches for. It shows where it leads whatever its text says, and opens only after the
 * whole address was in view: what a model has read could be in it.
 */
export function ExternalLinkButton({ target: { href, externalHost, carried }, children }: ExternalLinkProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      // No address in the page before somebody asks: browsers look up the hosts of links ahead of time.
      trigger={
        <button
          type="button"
          className="inline cursor-pointer rounded text-left text-accent underline decoration-accent/40 decoration-dotted underline-offset-3 hover:decoration-accent"
        >
          {children}
          <span className="ml-1 font-sans text-[0.72em] text-ink-3 no-underline">({externalHost})</span>
        </button>
      }
      aria-label={outsideLinkStrings.title}
      onOpenAutoFocus={focusItself}
      collisionPadding={12}
      className="flex w-[min(26rem,calc(100vw-1.5rem))] flex-col gap-3 p-4 font-sans text-sm outline-none"
    >
      <p className="font-serif text-lg font-medium">{outsideLinkStrings.title}</p>
      <p className="text-ink-2">
        {outsideLinkStrings.body(externalHost)}
        {carried > 0 && ` ${outsideLinkStrings.carries(carried)}`}
      </p>
      <div className="flex items-start gap-1 rounded-md bg-desk py-1.5 pr-1.5 pl-2.5">
        <code
          aria-label={outsideLinkStrings.address}
          className="max-h-32 min-w-0 flex-1 overflow-y-auto text-xs break-all"
        >
          {href}
        </code>
        <CopyButton text={href} label={outsideLinkStrings.copy} />
      </div>
      <div className="flex justify-end gap-2">
        <button
          type="button"
          onClick={close}
          className="inline-flex h-8 items-center rounded-md px-3 font-medium text-ink-2 hover:bg-ink/6 hover:text-ink"
        >
          {strings.common.cancel}
        </button>
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={close}
          className="inline-flex h-8 items-center gap-1 rounded-md border border-rule-strong bg-sheet px-3 font-medium hover:border-ink-3"
        >
          {outsideLinkStrings.open}
          <ArrowUpRight aria-hidden className="size-3.5" />
        </a>
      </div>
    </Popover>
  );
}
