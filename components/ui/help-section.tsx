import type { ReactNode } from 'react';
import { CircleHelp } from 'lucide-react';
import { HELP_PATH } from '#components/workspace/navigation.ts';
import { sectionId } from '#components/workspace/settings-pages.ts';
import { translator } from '#components/i18n.ts';

const t = translator('help');

/** Help pages for parts of the screen: the page and the anchor of one of its headings, by name of the part. */
export const helpPlaces: Readonly<Record<string, string>> = {
  site: 'your-wordpress#connect-it',
  standing: 'first-site#4-tell-it-your-rules-2-minutes',
  providers: 'models#connect-one',
  models: 'models#take-one-of-three',
  programs: 'openai-endpoint#rules-by-provider',
  strategies: 'context-engine#strategies',
  limits: 'context-engine#the-budget',
  pruning: 'context-engine#phase-1-before-a-step',
  visitors: 'deploying#the-site-under-its-own-address',
  'tool-servers': 'access#api-keys',
  mail: 'deploying#mail',
  people: 'access#who-may-do-what',
  'personal-data': 'operating#personal-data',
  'api-keys': 'access#api-keys',
  version: 'upgrading#every-time',
  logs: 'operating#logs',
  backup: 'operating#backups',
  process: 'configuration#the-process',
  factors: 'access#passkeys-and-one-time-codes',
  'sign-ins': 'access#invitations-forgotten-passwords-sign-ins',
  calls: 'mcp#what-waits-for-you',
};

interface HelpLinkProps {
  /** Name of the part; renders nothing if it has no help page. */
  readonly about: string;
  readonly title: string;
}

/** A "?" that opens the help for a part of the screen in another window. */
function HelpLink({ about, title }: HelpLinkProps) {
  const place = helpPlaces[about];
  if (place === undefined) return null;
  return (
    <a
      href={`${HELP_PATH}/${place}`}
      target="_blank"
      rel="noopener"
      aria-label={t('about', { title })}
      title={t('about', { title })}
      className="rounded-full p-1 text-ink-3 hover:text-ink"
    >
      <CircleHelp aria-hidden className="size-4 stroke-[1.75]" />
    </a>
  );
}

interface SectionProps {
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly children: ReactNode;
}

/** A section of a page with a heading, and a "?" that opens the help page about the section. */
export function HelpedSection({ name, title, body, children }: SectionProps) {
  return (
    <section
      id={sectionId(name)}
      tabIndex={-1}
      aria-labelledby={`${sectionId(name)}-title`}
      className="scroll-mt-20 outline-none pb-14 max-lg:pt-2"
    >
      <div className="flex items-center gap-1.5">
        <h2 id={`${sectionId(name)}-title`} className="font-serif text-xl font-medium tracking-[-0.01em]">
          {title}
        </h2>
        <HelpLink about={name} title={title} />
      </div>
      <p className="mt-0.5 mb-4 max-w-[62ch] text-sm text-ink-2">{body}</p>
      {children}
    </section>
  );
}
