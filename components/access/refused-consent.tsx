import { AccessCard } from '#components/access/access-form';
import { translator } from '#components/i18n.ts';
import type { RedirectTarget } from '#server/core/oauth/redirect-uris';

const t = translator('access.consent');

interface RefusedConsentProps {
  /** For the author of the program, in English. */
  readonly reason: string;
  /** Address that tells the program the reason; null: nothing may be sent to it. */
  readonly back: string | null;
  readonly target: RedirectTarget | null;
}

/** Says why a program cannot be connected. */
export function RefusedConsent({ reason, back, target }: RefusedConsentProps) {
  return (
    <AccessCard title={t('refusedTitle')} body={t('refusedBody')}>
      <p lang="en" className="mt-3 rounded-md border border-rule bg-paper px-3 py-2 text-sm text-ink-2">
        {reason}
      </p>
      {back !== null && target !== null && (
        <p className="mt-4 text-sm">
          <a href={back} rel="noreferrer" className="text-accent underline underline-offset-2 [overflow-wrap:anywhere]">
            {t(`backTo.${target.kind}`, { name: target.name })}
          </a>
        </p>
      )}
    </AccessCard>
  );
}
