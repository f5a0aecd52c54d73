import { Mutex } from 'async-mutex';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { access, accessPaths } from '#components/access/access-client';
import { accessProblem, accessStrings } from '#components/access/words';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { HelpedSection } from '#components/ui/help-section';
import { Button, Switch } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { Option, TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { useOpened } from '#components/ui/hooks';
import { plannedTime } from '#components/ui/times';
import { NotLoaded } from '#components/ui/notices';
import { HandedDialog } from '#components/ui/handed-dialog';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { reportFailure } from '#components/ui/toasts';
import type { Me, Person } from '#server/core/people';
import type { Role } from '#server/core/access-rights';

const text = accessStrings.people;

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
              onChanged={() => void mutate()}
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
  readonly onChanged: () => void;
}

/** A person with role, state and actions. */
function PersonRow({ person, isMe, onEdit, onLink, onChanged }: PersonRowProps) {
  const { id, name, email, role, banned, isInvited } = person;
  const [isRemoving, setIsRemoving] = useState(false);
  const attempt = (action: () => Promise<unknown>) => void inOrder.runExclusive(action).then(onChanged, reportFailure);
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
      <Switch
        label={text.roleOf(name)}
        value={role}
        choices={accessStrings.account.roles}
        onChange={(next) => attempt(() => access.changePerson(id, { role: next }))}
      />
      <div className="flex flex-wrap gap-1 max-sm:-ml-3">
        <Button variant="ghost" aria-label={text.editOf(name)} onClick={onEdit}>
          {text.edit}
        </Button>
        {!banned && !isMe && (
          <Button variant="ghost" aria-label={text.linkOf(name)} onClick={() => attempt(onLink)}>
            {text.link}
          </Button>
        )}
        <Button
          variant="ghost"
          aria-label={(banned ? text.unbanOf : text.banOf)(name)}
          onClick={() => attempt(() => access.changePerson(id, { banned: !banned }))}
        >
          {banned ? text.unban : text.ban}
        </Button>
        <Button variant="ghost" aria-label={text.removeOf(name)} onClick={() => setIsRemoving(true)}>
          {text.remove}
        </Button>
      </div>
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={text.removeTitle(name)}
        body={text.removeBody}
        confirm={text.remove}
        onConfirm={() => attempt(() => access.removePerson(id))}
      />
    </article>
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
              <Switch label={dialogText.role} value={role} choices={accessStrings.account.roles} onChange={setRole} />
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
