import { Mutex } from 'async-mutex';
import { Plus } from 'lucide-react';
import { AlertDialog } from 'radix-ui';
import { type ComponentProps, useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { access, accessPaths } from '#components/access/access-client';
import { accessProblem, accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { HelpedSection } from '#components/ui/help-section';
import { Button, Switch } from '#components/ui/buttons';
import { AlertContent, AlertFrame, ConfirmDialog } from '#components/ui/dialogs';
import { Option, TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { SentSwitch } from '#components/ui/sent-switch';
import { useOpened } from '#components/ui/hooks';
import { plannedTime } from '#components/ui/times';
import { NotLoaded } from '#components/ui/notices';
import { HandedDialog } from '#components/ui/handed-dialog';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { Me, Person } from '#server/core/people';
import type { Role } from '#server/core/access-rights';

const text = accessStrings.people;
const { roles } = accessStrings.account;

/** People who can sign in. */
export function PeopleSection() {
  const { data: me } = useSWR<Me, Error>(accessPaths.me);
  const isLocal = me?.kind === 'local';
  return (
    <HelpedSection name="people" title={text.title} body={isLocal ? text.local : text.body}>
      {me && !isLocal && <People me={me} />}
    </HelpedSection>
  );
}

function People({ me }: { readonly me: Me }) {
  const { data, error, mutate } = useSWR<{ readonly items: readonly Person[] }, Error>(accessPaths.people);
  /** The person; null: a new one. */
  const dialog = useOpened<Person | null>();
  /** A link that has to be handed over, and whose it is. */
  const handed = useOpened<HandedLink>();
  /** The role of who looks, once that is not an administrator's any more. */
  const [ownRole, setOwnRole] = useState<Role | null>(null);
  const sendLink = async (person: Person) => {
    const link = await access.sendLink(person.id);
    if (link.link === null) toast(text.linkMailed(person.email));
    else handed.open({ ...link, link: link.link, name: person.name });
  };
  if (!data) return <NotLoaded title={text.loadFailed} error={error} onRetry={() => mutate()} />;
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
        {text.add}
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
      {ownRole && <RightsGone role={ownRole} />}
      {handed.opened && <HandOver {...handed.opened.target} onClose={handed.close} />}
    </div>
  );
}

/** Sends changes in order, so that the last one wins even if an earlier one is slow. */
const inOrder = new Mutex();

interface PersonRowProps {
  readonly person: Person;
  readonly isMe: boolean;
  readonly onEdit: () => void;
  readonly onLink: () => Promise<void>;
  /** Reads the people again. */
  readonly onChanged: () => Promise<unknown>;
  /** Called with the role that they have given themselves. */
  readonly onOwnRole: (role: Role) => void;
}

type Question = Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'body' | 'confirm' | 'onConfirm'>;

/** A person with role, state and actions. Asks before what cannot be taken back, as anybody's own rights. */
function PersonRow({ person, isMe, onEdit, onLink, onChanged, onOwnRole }: PersonRowProps) {
  const { id, name, email, role, banned, isInvited } = person;
  const question = useOpened<Question>();
  const attempt = (action: () => Promise<unknown>) => inOrder.runExclusive(action).catch(reportFailure);
  const change = async (changes: Parameters<typeof access.changePerson>[1]) => {
    await access.changePerson(id, changes);
    await onChanged();
  };
  const chooseRole = (next: Role, before: Role) => {
    const ofOthers = async () => {
      await change({ role: next });
      const undo = () => inOrder.runExclusive(() => change({ role: before }));
      toastWithAction(text.roleSaved(name, roles[next]), text.undo, undo, { id });
    };
    const own = async () => {
      await access.changePerson(id, { role: next });
      // Nothing is read again: all of it would be refused now.
      onOwnRole(next);
    };
    if (!isMe) return attempt(ofOthers);
    question.open({ ...text.ownRole, body: text.ownRole.body(roles[next]), onConfirm: () => void attempt(own) });
    return undefined;
  };
  const setBanned = () =>
    void attempt(async () => {
      await change({ banned: !banned });
      toast((banned ? text.unbanned : text.bannedNow)(name));
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
          {isMe && <span className="text-xs font-normal text-ink-3">{text.you}</span>}
          {banned && <span className="text-xs font-normal text-red">{text.banned}</span>}
          {isInvited && <span className="text-xs font-normal text-amber">{text.invited}</span>}
        </h3>
        <p className="mt-0.5 text-sm break-all text-ink-2">{email}</p>
      </div>
      <SentSwitch label={text.roleOf(name)} value={role} choices={roles} onChange={chooseRole} />
      <div className="flex flex-wrap gap-1 max-sm:-ml-3">
        <Button variant="ghost" aria-label={text.editOf(name)} onClick={onEdit}>
          {text.edit}
        </Button>
        {!banned && !isMe && (
          <Button variant="ghost" aria-label={text.linkOf(name)} onClick={() => void attempt(link)}>
            {text.link}
          </Button>
        )}
        <Button
          variant="ghost"
          aria-label={(banned ? text.unbanOf : text.banOf)(name)}
          onClick={() => (isMe ? question.open({ ...text.ownBan, onConfirm: setBanned }) : setBanned())}
        >
          {banned ? text.unban : text.ban}
        </Button>
        <Button
          variant="ghost"
          aria-label={text.removeOf(name)}
          onClick={() =>
            question.open({
              title: text.removeTitle(name),
              body: text.removeBody,
              confirm: text.remove,
              onConfirm: () => void attempt(remove),
            })
          }
        >
          {text.remove}
        </Button>
      </div>
      {question.opened && (
        <ConfirmDialog open onOpenChange={(isOpen) => !isOpen && question.close()} {...question.opened.target} />
      )}
    </article>
  );
}

/** Tells former administrators what has become of their rights, and leads to a page that is open to them. */
function RightsGone({ role }: { readonly role: Role }) {
  const { title, body, go } = text.rightsGone;
  const button = (
    <AlertDialog.Cancel asChild>
      <Button variant="primary">{go}</Button>
    </AlertDialog.Cancel>
  );
  return (
    <AlertFrame open onOpenChange={() => window.location.assign(HOME_PATH)}>
      <AlertContent width="narrow" title={title} body={body(roles[role])} buttons={button} />
    </AlertFrame>
  );
}

interface HandedLink {
  readonly name: string;
  readonly link: string;
  readonly expiresAt: number;
  /** The reason for which it could not be mailed; null: no mail server is set. */
  readonly problem: string | null;
}

/** A link that the server could not mail, to be handed over. */
function HandOver({ name, link, expiresAt, problem, onClose }: HandedLink & { readonly onClose: () => void }) {
  return (
    <HandedDialog
      title={text.linkTitle(name)}
      body={text.linkBody(plannedTime(expiresAt))}
      problem={problem === null ? null : text.linkFailed(problem)}
      label={text.linkField}
      value={link}
      copy={text.linkCopy}
      done={text.linkDone}
      onClose={onClose}
    />
  );
}

const { form: dialogText } = accessStrings.people;

interface PersonDialogProps {
  /** Null: a new one. */
  readonly person: Person | null;
  readonly onSaved: (person: Person) => void;
  readonly onClose: () => void;
}

/** Dialog to add a person, or to change name or password. */
function PersonDialog({ person, onSaved, onClose }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [password, setPassword] = useState('');
  const [removesFactors, setRemovesFactors] = useState(false);
  const [revokesKeys, setRevokesKeys] = useState(true);
  const [own, setOwn] = useState(person?.sites ?? null);
  const sites = useSites().items;
  const submit = useSubmit(accessProblem);

  const apiKeys = revokesKeys ? 'revoke' : 'keep';
  const save = async () => {
    const chosen = password !== '' && { password };
    await submit.run(async () => {
      const saved = person
        ? await access.changePerson(person.id, {
            name,
            sites: own,
            ...(chosen && { ...chosen, apiKeys }),
            ...(removesFactors && { secondFactor: 'remove' as const }),
          })
        : await access.addPerson({ name, email: email.trim(), role, sites: own, ...chosen });
      onSaved(saved);
    });
  };

  return (
    <SubmitDialog
      title={person ? dialogText.editTitle(person.name) : dialogText.addTitle}
      save={dialogText.save}
      saving={dialogText.saving}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={dialogText.name} autoComplete="off" value={name} onChange={setName} />
      {person === null && (
        <>
          <TextField label={dialogText.email} type="email" autoComplete="off" value={email} onChange={setEmail} />
          <div>
            <p aria-hidden className="mb-1 text-sm font-medium">
              {dialogText.role}
            </p>
            <div className="flex">
              <Switch label={dialogText.role} value={role} choices={roles} onChange={setRole} />
            </div>
          </div>
        </>
      )}
      <TextField
        label={person ? dialogText.newPassword : dialogText.password}
        hint={person ? dialogText.newPasswordHint : dialogText.passwordHint}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      {(person?.role ?? role) !== 'admin' && (sites.length > 1 || (person?.sites ?? null) !== null) && (
        <>
          <Option
            label={dialogText.allSites}
            hint={dialogText.allSitesHint}
            isOn={own === null}
            onChange={(isAll) => setOwn(isAll ? null : sites.map(({ id }) => id))}
          />
          {own !== null &&
            sites.map((site) => (
              <Option
                key={site.id}
                label={dialogText.site(site.name)}
                hint={nameOfSite(site)}
                isOn={own.includes(site.id)}
                onChange={(isOn) => setOwn(isOn ? [...own, site.id] : own.filter((id) => id !== site.id))}
              />
            ))}
        </>
      )}
      {person !== null && (
        <Option
          label={dialogText.secondFactor}
          hint={dialogText.secondFactorHint}
          isOn={removesFactors}
          onChange={setRemovesFactors}
        />
      )}
      {person !== null && password !== '' && (
        <Option
          label={dialogText.revokeKeys}
          hint={dialogText.revokeKeysHint}
          isOn={revokesKeys}
          onChange={setRevokesKeys}
        />
      )}
    </SubmitDialog>
  );
}
