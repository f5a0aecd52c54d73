import { Mutex } from 'async-mutex';
import { useState } from 'react';
import { Switch } from '#components/admin/switch';
import { Button } from '#components/ui/button';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { access } from '#lib/access/access-client';
import { reportFailure } from '#lib/ui/report-failure';
import { accessStrings } from '#lib/strings/access';
import type { Person } from '#server/core/people';

const text = accessStrings.people;

/** Of two changes the last one counts, also where the first is slow. */
const inOrder = new Mutex();

interface PersonRowProps {
  readonly person: Person;
  readonly isMe: boolean;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

/** Somebody who may sign in, and what they are. */
export function PersonRow({ person: { id, name, email, role, banned }, isMe, onEdit, onChanged }: PersonRowProps) {
  const [isRemoving, setIsRemoving] = useState(false);
  const attempt = (action: () => Promise<unknown>) => void inOrder.runExclusive(action).then(onChanged, reportFailure);
  return (
    <article aria-label={name} className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b border-rule py-4">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium break-words">
          {name}
          {isMe && <span className="text-xs font-normal text-ink-3">{text.you}</span>}
          {banned && <span className="text-xs font-normal text-red">{text.banned}</span>}
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
