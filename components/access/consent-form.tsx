'use client';

import { useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { AccessCard } from '#components/access/access-form';
import { accessProblem } from '#components/access/access-problem.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { useIsMounted } from '#components/ui/hooks.ts';
import type { RedirectTarget } from '#server/core/oauth/redirect-uris';

const t = translator('access.consent');

interface ConsentFormProps {
  /** Query of the request; the server checks it again. */
  readonly query: string;
  /** As the program calls itself. */
  readonly client: string;
  /** Where the browser goes after the decision. */
  readonly target: RedirectTarget;
  /** Name of the signed-in person. */
  readonly person: string;
  readonly mayDraft: boolean;
  /** True if the person may let the program publish. */
  readonly offersPublishing: boolean;
}

/** Asks a person whether a program may use `/mcp` in their name. */
export function ConsentForm({ query, client, target, person, mayDraft, offersPublishing }: ConsentFormProps) {
  const isMounted = useIsMounted();
  const submit = useSubmit(accessProblem);
  const [mayPublish, setMayPublish] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const decide = (isAllowed: boolean) =>
    submit.run(async () => {
      const { redirectTo } = await access.decideConsent({ query, isAllowed, mayPublish: isAllowed && mayPublish });
      setIsLeaving(true);
      window.location.assign(redirectTo);
    });
  const isDisabled = submit.isBusy || !isMounted;
  return (
    <AccessCard title={t('heading', { client })}>
      <p className="mt-2 text-base text-ink-2">{t('body', { person })}</p>
      <dl className="mt-4 rounded-md border border-rule bg-paper px-3 py-2 text-sm">
        <dt className="text-xs text-ink-2">{t('name')}</dt>
        <dd className="font-medium [overflow-wrap:anywhere]">
          {client} <span className="font-normal text-ink-2">{t('unverified')}</span>
        </dd>
        <dt className="mt-2 text-xs text-ink-2">{t('leadsTo')}</dt>
        <dd className="font-medium [overflow-wrap:anywhere]">{t(`target.${target.kind}`, { name: target.name })}</dd>
      </dl>
      <p className="mt-4 text-sm font-medium">{t('may')}</p>
      <ul className="mt-1 list-disc pl-5 text-sm text-ink-2">
        <li>{t('read')}</li>
        {mayDraft && <li>{t('draft')}</li>}
        {!mayPublish && <li>{mayDraft ? t('asks') : t('noChange')}</li>}
        {mayPublish && <li className="font-medium text-red">{t('publishes')}</li>}
      </ul>
      {offersPublishing && (
        <label className="mt-4 flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            checked={mayPublish}
            onChange={(event) => setMayPublish(event.target.checked)}
            disabled={isDisabled}
            className="mt-0.5 size-4 accent-accent"
          />
          <span>{t('offer')}</span>
        </label>
      )}
      <div className="mt-5 flex flex-col gap-3">
        <Problem text={submit.problem} />
        <Button variant="primary" className="h-9" disabled={isDisabled} onClick={() => void decide(true)}>
          {t('allow')}
        </Button>
        <Button className="h-9" disabled={isDisabled} onClick={() => void decide(false)}>
          {t('deny')}
        </Button>
        <output className="text-xs text-ink-3">{isLeaving ? t('leaving') : t('revocable')}</output>
      </div>
    </AccessCard>
  );
}
