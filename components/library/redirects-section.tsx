import { ArrowRight } from 'lucide-react';
import { noteTexts } from '#components/message-text.ts';
import { useState } from 'react';
import { useMayPublish } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { toast } from 'sonner';
import { LinkControl } from '#components/library/link-control';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Field, TextField } from '#components/ui/fields';
import { useOpened } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { TimeAgo } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';
import { parseRedirects, withRedirect } from '#server/core/site/manual-redirects';
import type { Redirect, SiteSettings } from '#server/core/site/content';

const t = translator('library.trash.redirects');

/** A former address, or one with a redirect that was set manually. */
interface OldAddress {
  readonly from: string;
  /** Target of the redirect; null: none, visitors see that the page no longer exists. */
  readonly to: string | null;
  /** True if a person has set the target. */
  readonly isManual: boolean;
  /** Since when the address has no page, in epoch milliseconds; null if unknown. */
  readonly since: number | null;
}

/** All old addresses: those set manually that no page ever had, then the former addresses of pages. */
function oldAddresses(former: readonly Redirect[], { redirects }: SiteSettings): OldAddress[] {
  const manual = new Map(parseRedirects(redirects).map(({ from, to }) => [from, to]));
  const known = former.map(({ from, to, createdAt }) => ({
    from,
    to: manual.get(from) ?? to,
    isManual: manual.has(from),
    since: createdAt,
  }));
  const others = [...manual].filter(([from]) => !former.some((each) => each.from === from));
  return [...others.map(([from, to]) => ({ from, to, isManual: true, since: null })), ...known];
}

/** Former addresses and what visitors find there, and redirects that were set manually. */
export function RedirectsSection() {
  const former = useApi(paths.redirects);
  const settings = useApi(paths.settings);
  const dialog = useOpened<OldAddress>();
  const mayWrite = useMayPublish();
  const addresses = former.data && settings.data && oldAddresses(former.data.items, settings.data);
  const failure = former.error ?? settings.error;
  const reload = () => void Promise.all([former.mutate(), settings.mutate()]);
  return (
    <section aria-labelledby="redirects">
      <header className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h2 id="redirects" className="font-serif text-xl font-medium tracking-[-0.01em]">
          {t('title')}
        </h2>
        {mayWrite && (
          <Button onClick={() => dialog.open({ from: '', to: null, isManual: false, since: null })}>{t('add')}</Button>
        )}
      </header>
      <p className="mt-0.5 max-w-[62ch] text-sm text-ink-2">{t('body')}</p>
      {addresses ? (
        <ul className="mt-3 border-t border-rule">
          {addresses.map((address) => (
            <AddressRow key={address.from} address={address} onEdit={mayWrite ? () => dialog.open(address) : null} />
          ))}
        </ul>
      ) : (
        failure !== undefined && <LoadFailed title={t('failed')} error={failure} onRetry={reload} />
      )}
      {dialog.opened && <RedirectDialog address={dialog.opened.target} onClose={dialog.close} onSaved={reload} />}
    </section>
  );
}

interface AddressRowProps {
  readonly address: OldAddress;
  /** Null if the user may not change it. */
  readonly onEdit: (() => void) | null;
}

function AddressRow({ address: { from, to, isManual, since }, onEdit }: AddressRowProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-rule py-3 text-sm">
      <code className="font-mono text-xs break-all">{from}</code>
      <ArrowRight aria-hidden className="size-3.5 self-center text-ink-3" />
      {to === null ? (
        <span className="text-ink-3">{t('gone')}</span>
      ) : (
        <>
          <span className="sr-only">{t('leadsTo')}</span>
          <a
            href={to.startsWith('/') ? `/site${to}` : to}
            {...(!to.startsWith('/') && { target: '_blank', rel: 'noreferrer' })}
            className="font-mono text-xs break-all underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
          >
            {to}
          </a>
        </>
      )}
      <span className="ml-auto flex items-baseline gap-3 text-ink-3">
        {isManual ? t('chosen') : since !== null && <TimeAgo time={since} />}
        {onEdit && (isManual || to === null) && (
          <button
            type="button"
            onClick={onEdit}
            aria-label={t('editLabel', { from })}
            className="text-ink-2 underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {isManual ? t('change') : t('leadOn')}
          </button>
        )}
      </span>
    </li>
  );
}

interface RedirectDialogProps {
  /** The address to redirect; `from` is empty for a new redirect. */
  readonly address: OldAddress;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Dialog for the target of a redirect. */
function RedirectDialog({ address, onClose, onSaved }: RedirectDialogProps) {
  const [from, setFrom] = useState(address.from);
  const [to, setTo] = useState(address.isManual ? (address.to ?? '') : '');
  const submit = useSubmit();
  const save = (target: string | null) =>
    submit.run(async () => {
      if (target === '') throw new Error(t('noTarget'));
      // Reads the other redirects first, because another person may have changed one.
      const { redirects } = await api.get(paths.settings);
      const { change, ...result } = await api.updateSiteSettings({
        redirects: withRedirect(redirects, from.trim(), target),
      });
      const notes = noteTexts(result);
      contentChanged([change]);
      if (notes.length > 0) toast(notes.join(' '));
      onSaved();
      onClose();
    });
  return (
    <SubmitDialog
      title={t('dialog')}
      save={t('save')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => void save(to.trim())}
      onClose={onClose}
      extra={
        address.isManual && (
          <Button disabled={submit.isBusy} onClick={() => void save(null)}>
            {t('remove')}
          </Button>
        )
      }
    >
      <TextField
        label={t('from')}
        hint={t('fromHint')}
        value={from}
        onChange={setFrom}
        readOnly={address.from !== ''}
      />
      <Field label={t('to')}>{(ids) => <LinkControl {...ids} value={to} onChange={setTo} />}</Field>
    </SubmitDialog>
  );
}
