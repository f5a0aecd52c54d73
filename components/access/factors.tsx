'use client';

import { useState } from 'react';
import { toast } from 'sonner';
import { encode } from 'uqr';
import { access, useMe } from '#components/access/access-client.ts';
import { CodeField } from '#components/access/code-form';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { HelpedSection } from '#components/ui/help-section';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { useIsMounted, useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { TimeAgo } from '#components/ui/page-parts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';
import type { NewTotp, Passkey, SignInFactors } from '#server/core/admin/people';

const t = translator('access.factors');

/** Section about the passkeys and one-time codes of the signed-in user; renders nothing in local mode. */
export function Factors() {
  const isPerson = useMe()?.kind === 'user';
  return isPerson ? (
    <HelpedSection name="factors" title={t('title')} body={t('body')}>
      <Loaded />
    </HelpedSection>
  ) : null;
}

function Loaded() {
  const { data, error, mutate } = useApi(paths.factors);
  const reload = () => void mutate();
  if (!data) return <NotLoaded title={t('loadFailed')} error={error} onRetry={reload} />;
  return (
    <div className="border-t border-rule">
      <Passkeys passkeys={data.passkeys} onChanged={reload} />
      <OneTimeCodes factors={data} onChanged={reload} />
    </div>
  );
}

interface PasskeysProps {
  readonly passkeys: readonly Passkey[];
  readonly onChanged: () => void;
}

function Passkeys({ passkeys, onChanged }: PasskeysProps) {
  const isMounted = useIsMounted();
  const isOffered = isMounted && 'PublicKeyCredential' in window;
  const adding = useOpened();
  const removing = useOpened<Passkey>();
  const [name, setName] = useState('');
  const submit = useSubmit(accessProblem);
  const add = () =>
    submit.run(async () => {
      await access.addPasskey(name);
      adding.close();
      setName('');
      toast(t('passkeyAdded'));
      onChanged();
    });
  return (
    <section aria-label={t('passkeys')} className="border-b border-rule py-4">
      <h3 className="text-base font-medium">{t('passkeys')}</h3>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">
        {isMounted && !isOffered ? t('passkeysMissing') : t('passkeysBody')}
      </p>
      {passkeys.length === 0 && <p className="mt-2 text-sm text-ink-3">{t('none')}</p>}
      <ul className="mt-2">
        {passkeys.map((passkey) => (
          <li key={passkey.id} ref={passOnFocus} className="flex flex-wrap items-center gap-x-6 py-1 text-sm">
            <span className="min-w-0 flex-1 basis-40 break-words">{passkey.name}</span>
            {passkey.createdAt !== null && (
              <span className="text-xs text-ink-3">
                {t('added')} <TimeAgo time={passkey.createdAt} />
              </span>
            )}
            <Button
              variant="ghost"
              aria-label={t('removeOf', { name: passkey.name })}
              onClick={() => removing.open(passkey)}
            >
              {t('remove')}
            </Button>
          </li>
        ))}
      </ul>
      <Button className="mt-2 h-9" disabled={!isOffered} onClick={() => adding.open()}>
        {t('addPasskey')}
      </Button>
      {adding.opened && (
        <SubmitDialog
          title={t('addPasskey')}
          save={t('next')}
          saving={t('saving')}
          submit={submit}
          onSubmit={() => void add()}
          onClose={adding.close}
        >
          <TextField label={t('passkeyName')} hint={t('passkeyNameHint')} required value={name} onChange={setName} />
        </SubmitDialog>
      )}
      <ConfirmDialog
        open={removing.opened !== null}
        onOpenChange={(open) => !open && removing.close()}
        title={t('removeTitle', { name: removing.opened?.target.name ?? '' })}
        body={t('removeBody')}
        confirm={t('remove')}
        onConfirm={() => {
          const id = removing.opened?.target.id;
          if (id !== undefined) void access.removePasskey(id).then(onChanged, reportFailure);
        }}
      />
    </section>
  );
}

interface OneTimeCodesProps {
  readonly factors: SignInFactors;
  readonly onChanged: () => void;
}

function OneTimeCodes({ factors: { hasTotp, hasPassword }, onChanged }: OneTimeCodesProps) {
  const dialog = useOpened();
  return (
    <section aria-label={t('totp')} className="border-b border-rule py-4">
      <h3 className="text-base font-medium">{t('totp')}</h3>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{hasTotp ? t('totpOn') : t('totpOff')}</p>
      {/* A code is requested only after a password, so a password must be set. */}
      <Button className="mt-3 h-9" disabled={!hasPassword} onClick={() => dialog.open()}>
        {hasTotp ? t('turnOff') : t('turnOn')}
      </Button>
      {dialog.opened &&
        (hasTotp ? (
          <TurnOff onDone={onChanged} onClose={dialog.close} />
        ) : (
          <SetUp onDone={onChanged} onClose={dialog.close} />
        ))}
    </section>
  );
}

interface DialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function PasswordField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <TextField
      label={t('password')}
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
    />
  );
}

/** Asks for the password, then turns one-time codes off. */
function TurnOff({ onDone, onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      await access.endTotp(password);
      toast(t('totpRemoved'));
      onDone();
      onClose();
    });
  return (
    <SubmitDialog
      title={t('turnOffTitle')}
      save={t('turnOff')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">{t('turnOffBody')}</p>
      <PasswordField value={password} onChange={setPassword} />
    </SubmitDialog>
  );
}

/** Asks for the password, then shows the QR code and the recovery codes; the first correct code turns the factor on. */
function SetUp({ onDone, onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const [made, setMade] = useState<NewTotp | null>(null);
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      if (!made) return setMade(await access.beginTotp(password));
      await access.confirmTotp(code);
      toast(t('totpAdded'));
      onDone();
      onClose();
    });
  return (
    <SubmitDialog
      title={t('setUpTitle')}
      save={made ? t('confirm') : t('next')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      {made ? (
        <>
          <p className="text-sm text-ink-2">{t('setUpBody')}</p>
          <QrCode value={made.uri} />
          <CopyableText
            label={t('key')}
            copy={t('copyKey')}
            value={new URL(made.uri).searchParams.get('secret') ?? ''}
          />
          <h3 className="text-sm font-medium">{t('recoveryTitle')}</h3>
          <p className="-mt-3 text-sm text-ink-2">{t('recoveryBody')}</p>
          <CopyableText label={t('recoveryTitle')} copy={t('copyRecovery')} value={made.recoveryCodes.join(' ')} />
          <CodeField code={code} onChange={setCode} />
        </>
      ) : (
        <PasswordField value={password} onChange={setPassword} />
      )}
    </SubmitDialog>
  );
}

interface CopyableTextProps {
  readonly label: string;
  readonly copy: string;
  readonly value: string;
}

function CopyableText({ label, copy, value }: CopyableTextProps) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
      <code aria-label={label} className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
        {value}
      </code>
      <CopyButton text={value} label={copy} />
    </div>
  );
}

/** A text as a QR code. Dark on white in every theme, because cameras need that. */
function QrCode({ value }: { readonly value: string }) {
  const { data, size } = encode(value, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={t('picture')}
      viewBox={`0 0 ${size} ${size}`}
      className="mx-auto size-44 rounded-md bg-white text-black"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
