import { Streamdown } from 'streamdown';
import type { Components } from 'streamdown';
import { safeImage, safeLink } from '#lib/safe-url';
import { strings } from '#lib/strings';

const components: Components = {
  a: ({ href, children }) => {
    const target = safeLink(typeof href === 'string' ? href : undefined);
    if (target === null) return <span>{children}</span>;
    return (
      <a
        href={target}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline decoration-accent/40 underline-offset-3 hover:decoration-accent"
      >
        {children}
      </a>
    );
  },
  img: ({ src, alt }) => {
    const address = safeImage(typeof src === 'string' ? src : undefined, window.location.origin);
    if (address === null) return <em className="text-ink-3">{strings.transcript.imageBlocked(alt ?? '')}</em>;
    return <img src={address} alt={alt ?? ''} className="max-h-96 rounded-md border border-rule" />;
  },
};

const controls = { table: false, code: { copy: true, download: false } };

interface MarkdownProps {
  readonly text: string;
  /** More text may follow: unfinished markup at the end is completed. */
  readonly isOpen: boolean;
}

/** Markdown from a model. Links lead to http(s) or relative addresses only; images load from this origin only. */
export default function Markdown({ text, isOpen }: MarkdownProps) {
  return (
    <Streamdown
      className="manuscript"
      mode={isOpen ? 'streaming' : 'static'}
      components={components}
      controls={controls}
      lineNumbers={false}
      linkSafety={{ enabled: false }}
      dir="auto"
    >
      {text}
    </Streamdown>
  );
}
