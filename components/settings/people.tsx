import type { Body } from '#components/api/routes.ts';
import { Mutex } from 'async-mutex';
import { Plus } from 'lucide-react';
import { AlertDialog } from 'radix-ui';
import { useState } from 'react';
import { toast } from 'sonner';
import { access } from '#components/access/access-client.ts';
import { translator } from '#components/i18n.ts';
import { labelsOf } from '#components/labels.ts';
import { localizedText } from '#components/message-text.ts';
import type { CodedMessage } from '#server/core/coded-message';
import { accessProblem } from '#components/access/access-problem.ts';
import { HOME_PATH } from '#components/workspace/navigation.ts';
import { nameOfSite, useSites } from '#components/workspace/site-of-page';
import { HelpedSection } from '#components/ui/help-section';
import { Switch } from '#components/ui/controls/choices';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame, ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { Option, TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { SavedSwitch } from '#components/ui/controls/saved-switch';
import { useOpened } from '#components/ui/hooks.ts';
import { scheduledTime } from '#components/ui/times.ts';
import { NotLoaded } from '#components/ui/notices';
import { SecretDialog } from '#components/ui/dialogs/secret-dialog';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';
import type { Me, Person } from '#server/core/admin/people';
import { type Role, roles } from '#server/core/admin/access-rights';
import { MIN_PASSWORD } from '#server/core/limits';

const t = translator('access');

/** Section about the people who can sign in: their roles, invitations and access. Only a note in local mode. */
export function PeopleSection() {
  const { data: me } = useApi(paths.me);
  const isLocal = me?.kind === 'local';
  return (
    <HelpedSection name="people" title={t('people.title')} body={isLocal ? t('people.local') : t('people.body')}>
      {me && !isLocal && <People me={me} />}
    </HelpedSection>
  );
}

function People({ me }: { readonly me: Me }) {
  const { data, error, mutate } = useApi(paths.people);
  /** The person whom the dialog changes; null: a new one. */
  const dialog = useOpened<Person | null>();
  /** A link that could not be mailed, which the administrator must send, with the person whom it is for. */
  const unsentLink = useOpened<UnsentLink>();
  /** The user's own role, after it stopped being the administrator's. */
  const [ownRole, setOwnRole] = useState<Role | null>(null);
  const sendLink = async (person: Person) => {
    const link = await access.sendLink(person.id);
    if (link.link === null) toast(t('people.linkMailed', { email: person.email }));
    else unsentLink.open({ ...link, link: link.link, name: person.name });
  };
  if (!data) return <NotLoaded title={t('people.loadFailed')} error={error} onRetry={() => mutate()} />;
  return (
    <div className="border-t border-rule">
      <ul>
        {data.items.map((person) => (
          <li key={person.id} ref={passOnFocus}>
            <PersonRow
              person={person}
              isMe={person.id === me.id}
              onEdit={() => dialog.open(person)}
              onLink={() => sendLink(person)}
              onChanged={mutate}
              onOwnRole={setOwnRole}
            />
          </li>
        ))}
      </ul>
      <Button className="mt-4 h-9" onClick={() => dialog.open(null)}>
        <Plus aria-hidden className="size-4" />
        {t('people.add')}
      </Button>
      {dialog.opened && (
        <PersonDialog
          person={dialog.opened.target}
          onSaved={(saved) => {
            dialog.close();
            void mutate();
            if (saved.isInvited && dialog.opened?.target === null) sendLink(saved).catch(reportFailure);
          }}
          onClose={dialog.close}
        />
      )}
      {ownRole && <RightsLostDialog role={ownRole} />}
      {unsentLink.opened && <LinkDialog {...unsentLink.opened.target} onClose={unsentLink.close} />}
    </div>
  );
}

/** Sends changes one after the other, so that the last one wins even if an earlier one is slow. */
const requests = new Mutex();

interface PersonRowProps {
  readonly person: Person;
  readonly isMe: boolean;
  readonly onEdit: () => void;
  readonly onLink: () => Promise<void>;
  /** Reloads the people. */
  readonly onChanged: () => Promise<unknown>;
  /** Called with the role that the user has given themselves. */
  readonly onOwnRole: (role: Role) => void;
}

/** A question before an action. */
interface Question {
  readonly title: string;
  readonly body: string;
  /** Label of the button that confirms. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

/**
 * A person with role, state and actions. Asks for confirmation before actions that cannot be undone, such as removing
 * one's own rights.
 */
function PersonRow({ person, isMe, onEdit, onLink, onChanged, onOwnRole }: PersonRowProps) {
  const { id, name, email, role, banned, isInvited } = person;
  const question = useOpened<Question>();
  const attempt = (action: () => Promise<unknown>) => requests.runExclusive(action).catch(reportFailure);
  const change = async (changes: Body<'PATCH', '/api/users/{id}'>) => {
    await access.changePerson(id, changes);
    await onChanged();
  };
  const chooseRole = (next: Role, before: Role) => {
    const changeOther = async () => {
      await change({ role: next });
      const undo = () => requests.runExclusive(() => change({ role: before }));
      toastWithAction(t('people.roleSaved', { name, role: t(`account.roles.${next}`) }), t('people.undo'), undo, {
        id,
      });
    };
    const changeOwn = async () => {
      await access.changePerson(id, { role: next });
      // Reloads nothing, because the server would refuse everything now.
      onOwnRole(next);
    };
    if (!isMe) return attempt(changeOther);
    question.open({
      title: t('people.ownRole.title'),
      confirm: t('people.ownRole.confirm'),
      body: t('people.ownRole.body', { role: t(`account.roles.${next}`) }),
      onConfirm: () => void attempt(changeOwn),
    });
    return undefined;
  };
  const setBanned = () =>
    void attempt(async () => {
      await change({ banned: !banned });
      toast(t(banned ? 'people.unbanned' : 'people.bannedNow', { name }));
    });
  const remove = async () => {
    await access.removePerson(id);
    await onChanged();
  };
  const link = async () => {
    await onLink();
    await onChanged();
  };
  return (
    <article aria-label={name} className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b border-rule py-4">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium break-words">
          {name}
          {isMe && <span className="text-xs font-normal text-ink-3">{t('people.you')}</span>}
          {banned && <span className="text-xs font-normal text-red">{t('people.banned')}</span>}
          {isInvited && <span className="text-xs font-normal text-amber">{t('people.invited')}</span>}
        </h3>
        <p className="mt-0.5 text-sm break-all text-ink-2">{email}</p>
      </div>
      <SavedSwitch
        label={t('people.roleOf', { name })}
        value={role}
        choices={labelsOf(roles, (each) => t(`account.roles.${each}`))}
        onChange={chooseRole}
      />
      <div className="flex flex-wrap gap-1 max-sm:-ml-3">
        <Button variant="ghost" aria-label={t('people.editOf', { name })} onClick={onEdit}>
          {t('people.edit')}
        </Button>
        {!banned && !isMe && (
          <Button variant="ghost" aria-label={t('people.linkOf', { name })} onClick={() => void attempt(link)}>
            {t('people.link')}
          </Button>
        )}
        <Button
          variant="ghost"
          aria-label={t(banned ? 'people.unbanOf' : 'people.banOf', { name })}
          onClick={() =>
            isMe
              ? question.open({
                  title: t('people.ownBan.title'),
                  body: t('people.ownBan.body'),
                  confirm: t('people.ownBan.confirm'),
                  onConfirm: setBanned,
                })
              : setBanned()
          }
        >
          {banned ? t('people.unban') : t('people.ban')}
        </Button>
        <Button
          variant="ghost"
          aria-label={t('people.removeOf', { name })}
          onClick={() =>
            question.open({
              title: t('people.removeTitle', { name }),
              body: t('people.removeBody'),
              confirm: t('people.remove'),
              onConfirm: () => void attempt(remove),
            })
          }
        >
          {t('people.remove')}
        </Button>
      </div>
      {question.opened && (
        <ConfirmDialog open onOpenChange={(isOpen) => !isOpen && question.close()} {...question.opened.target} />
      )}
    </article>
  );
}

/** Informs former administrators about their new rights, and links to a page that they may open. */
function RightsLostDialog({ role }: { readonly role: Role }) {
  const button = (
    <AlertDialog.Cancel asChild>
      <Button variant="primary">{t('people.rightsGone.go')}</Button>
    </AlertDialog.Cancel>
  );
  return (
    <AlertFrame open onOpenChange={() => window.location.assign(HOME_PATH)}>
      <AlertContent
        width="narrow"
        title={t('people.rightsGone.title')}
        body={t('people.rightsGone.body', { role: t(`account.roles.${role}`) })}
        buttons={button}
      />
    </AlertFrame>
  );
}

interface UnsentLink {
  readonly name: string;
  readonly link: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Reason why the link could not be mailed; null if no mail server is configured. */
  readonly problem: string | null;
  /** `problem` as data; null: it has none. */
  readonly problemMessage: CodedMessage | null;
}

/** Shows a link that the server could not mail, for the administrator to send. */
function LinkDialog({
  name,
  link,
  expiresAt,
  problem,
  problemMessage,
  onClose,
}: UnsentLink & { readonly onClose: () => void }) {
  return (
    <SecretDialog
      title={t('people.linkTitle', { name })}
      body={t('people.linkBody', { until: scheduledTime(expiresAt) })}
      problem={problem === null ? null : t('people.linkFailed', { problem: localizedText(problemMessage, problem) })}
      label={t('people.linkField')}
      value={link}
      copy={t('people.linkCopy')}
      done={t('people.linkDone')}
      onClose={onClose}
    />
  );
}

interface PersonDialogProps {
  /** Null for a new person. */
  readonly person: Person | null;
  readonly onSaved: (person: Person) => void;
  readonly onClose: () => void;
}

/** Dialog to add a person, or to change a name or password. */
function PersonDialog({ person, onSaved, onClose }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [password, setPassword] = useState('');
  const [removesFactors, setRemovesFactors] = useState(false);
  const [revokesKeys, setRevokesKeys] = useState(true);
  /** Ids of the sites that the person may use; null: all. */
  const [siteIds, setSiteIds] = useState(person?.sites ?? null);
  const sites = useSites().items;
  const submit = useSubmit(accessProblem);

  const apiKeys = revokesKeys ? 'revoke' : 'keep';
  const save = async () => {
    const chosen = password !== '' && { password };
    await submit.run(async () => {
      const saved = person
        ? await access.changePerson(person.id, {
            name,
            sites: siteIds,
            ...(chosen && { ...chosen, apiKeys }),
            ...(removesFactors && { secondFactor: 'remove' as const }),
          })
        : await access.addPerson({ name, email: email.trim(), role, sites: siteIds, ...chosen });
      onSaved(saved);
    });
  };

  return (
    <SubmitDialog
      title={person ? t('people.form.editTitle', { name: person.name }) : t('people.form.addTitle')}
      save={t('people.form.save')}
      saving={t('people.form.saving')}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={t('people.form.name')} autoComplete="off" value={name} onChange={setName} />
      {person === null && (
        <>
          <TextField label={t('people.form.email')} type="email" autoComplete="off" value={email} onChange={setEmail} />
          <div>
            <p aria-hidden className="mb-1 text-sm font-medium">
              {t('people.form.role')}
            </p>
            <div className="flex">
              <Switch
                label={t('people.form.role')}
                value={role}
                choices={labelsOf(roles, (each) => t(`account.roles.${each}`))}
                onChange={setRole}
              />
            </div>
          </div>
        </>
      )}
      <TextField
        label={person ? t('people.form.newPassword') : t('people.form.password')}
        hint={
          person
            ? t('people.form.newPasswordHint', { min: MIN_PASSWORD })
            : t('people.form.passwordHint', { min: MIN_PASSWORD })
        }
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      {(person?.role ?? role) !== 'admin' && (sites.length > 1 || (person?.sites ?? null) !== null) && (
        <>
          <Option
            label={t('people.form.allSites')}
            hint={t('people.form.allSitesHint')}
            isOn={siteIds === null}
            onChange={(isAll) => setSiteIds(isAll ? null : sites.map(({ id }) => id))}
          />
          {siteIds !== null &&
            sites.map((site) => (
              <Option
                key={site.id}
                label={t('people.form.site', { name: site.name })}
                hint={nameOfSite(site)}
                isOn={siteIds.includes(site.id)}
                onChange={(isOn) => setSiteIds(isOn ? [...siteIds, site.id] : siteIds.filter((id) => id !== site.id))}
              />
            ))}
        </>
      )}
      {person !== null && (
        <Option
          label={t('people.form.secondFactor')}
          hint={t('people.form.secondFactorHint')}
          isOn={removesFactors}
          onChange={setRemovesFactors}
        />
      )}
      {person !== null && password !== '' && (
        <Option
          label={t('people.form.revokeKeys')}
          hint={t('people.form.revokeKeysHint')}
          isOn={revokesKeys}
          onChange={setRevokesKeys}
        />
      )}
    </SubmitDialog>
  );
}
