import { accessProblem } from '#components/access/access-problem.ts';
import { useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { type Role, type Scope, scopes as allScopes } from '#server/core/admin/access-rights';
import { TextField } from '#components/ui/fields';
import { SecretDialog } from '#components/ui/dialogs/secret-dialog';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { apiKeyRequests } from '#components/keys/api-key-requests.ts';

const t = translator('apiKeys');

/** Days until a key expires. */
const expiries = ['30', '90', '365', 'never'] as const;
type Expiry = (typeof expiries)[number];

const DAY_MS = 86_400_000;
/** Default scopes of a key. */
const DEFAULT_SCOPES: readonly Scope[] = ['chat', 'content:read'];

interface ApiKeyDialogProps {
  /** Role of the key's user; limits the offered scopes. */
  readonly role: Role;
  /** Preselected scopes. Default: talk to the assistant and read. */
  readonly proposed?: readonly Scope[] | undefined;
  /** Called once with the key itself. */
  readonly onCreated: (key: string) => void;
  readonly onClose: () => void;
}

/** Form for a new key: its purpose, its scopes, and its expiry. */
export function ApiKeyDialog({ role, proposed = DEFAULT_SCOPES, onCreated, onClose }: ApiKeyDialogProps) {
  const submit = useSubmit(accessProblem);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(proposed);
  const [expiry, setExpiry] = useState<Expiry>('90');

  const create = async () => {
    const expiresAt = expiry === 'never' ? null : Date.now() + Number(expiry) * DAY_MS;
    await submit.run(async () => {
      const created = await apiKeyRequests.create({ name, scopes, expiresAt });
      onCreated(created.key);
    });
  };
  return (
    <SubmitDialog
      title={t('form.title')}
      save={t('form.save')}
      saving={t('form.saving')}
      submit={submit}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <TextField label={t('form.name')} hint={t('form.nameHint')} value={name} autoComplete="off" onChange={setName} />
      <ScopesField offered={offeredScopes(role)} value={scopes} onChange={setScopes} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </SubmitDialog>
  );
}

interface ScopesFieldProps {
  readonly offered: readonly Scope[];
  readonly value: readonly Scope[];
  readonly onChange: (value: readonly Scope[]) => void;
}

function ScopesField({ offered, value, onChange }: ScopesFieldProps) {
  const id = useId();
  const toggle = (scope: Scope) =>
    onChange(value.includes(scope) ? value.filter((each) => each !== scope) : [...value, scope]);
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t('form.scopes')}</legend>
      <div className="overflow-hidden rounded-lg border border-rule-strong">
        {offered.map((scope) => (
          <label
            key={scope}
            className="flex cursor-pointer gap-3 border-b border-rule px-4 py-2.5 last:border-b-0 hover:bg-ink/3 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="checkbox"
              checked={value.includes(scope)}
              aria-label={t(`scopes.${scope}.name`)}
              aria-describedby={`${id}-${scope}`}
              onChange={() => toggle(scope)}
              className="mt-1 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{t(`scopes.${scope}.name`)}</span>
              <span id={`${id}-${scope}`} className="block text-xs text-ink-2">
                {t(`scopes.${scope}.does`)}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function ExpiryField({ value, onChange }: { readonly value: Expiry; readonly onChange: (value: Expiry) => void }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {t('form.expiry')}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value as Expiry)}
        className="h-9 w-full rounded-md border border-rule-strong bg-sheet px-2 text-sm"
      >
        {expiries.map((choice) => (
          <option key={choice} value={choice}>
            {t(`form.expiries.${choice}`)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows a key that was just created. */
export function NewKeyDialog({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  return (
    <SecretDialog
      title={t('shown.title')}
      body={t('shown.body')}
      label={t('shown.key')}
      value={value}
      copy={t('shown.copy')}
      done={t('shown.done')}
      onClose={onClose}
    />
  );
}

/** Scopes that a role may choose; the server checks again. */
function offeredScopes(role: Role): readonly Scope[] {
  if (role === 'admin') return allScopes;
  return allScopes.filter((scope) => scope !== 'admin' && (role === 'editor' || scope !== 'content:write'));
}
