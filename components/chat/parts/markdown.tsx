import { defaultRehypePlugins, defaultRemarkPlugins, Streamdown } from 'streamdown';
import type { Components, StreamdownProps } from 'streamdown';
import { ForeignLink } from '#components/chat/parts/foreign-link';
import { useTrustedOrigins } from '#components/ui/allowed-origins';
import { hostOf, linkTarget, safeImage } from '#lib/ui/safe-url';
import { strings } from '#lib/strings';
import { hasTooManyBlocks, limitedMarkdown, limitedRawHtml } from '#server/markup/markdown';

const components: Components = {
  a: function Link({ href, children }) {
    const target = linkTarget(typeof href === 'string' ? href : undefined, useTrustedOrigins());
    if (target === null) return <span>{children}</span>;
    const { foreignHost } = target;
    if (foreignHost !== null) return <ForeignLink target={{ ...target, foreignHost }}>{children}</ForeignLink>;
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
      return <em className="text-ink-3">{strings.transcript.imageBlocked(alt ?? '', hostOf(url))}</em>;
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

/**
 * HTML in the text is read, and cleaned of everything but plain markup. Which addresses are good is decided by the
 * components above, which see every link and picture as it was written; of the tags that are left, no other loads
 * anything but these.
 */
const rehypePlugins = [defaultRehypePlugins['raw'], defaultRehypePlugins['sanitize']] as NonNullable<
  StreamdownProps['rehypePlugins']
>;
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
      mode={isOpen ? 'streaming' : 'static'}
      components={components}
      controls={controls}
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      disallowedElements={LOADING_TAGS}
      unwrapDisallowed
      lineNumbers={false}
      linkSafety={{ enabled: false }}
      {...(text.split('[', MAX_BRACKETS).length < MAX_BRACKETS && { dir: 'auto' })}
    >
      {text}
    </Streamdown>
  );
}
