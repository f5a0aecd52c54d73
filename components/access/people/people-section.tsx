import { Plus } from 'lucide-react';
import useSWR from 'swr';
import { PersonDialog } from '#components/access/people/person-dialog';
import { PersonRow } from '#components/access/people/person-row';
import { Section } from '#components/settings/settings-group';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { accessPaths } from '#lib/access/access-client';
import { accessStrings } from '#lib/strings/access';
import { settingsStrings } from '#lib/strings/settings';
import { useOpened } from '#lib/ui/use-opened';
import type { Me, Person } from '#server/core/people';

const text = accessStrings.people;

/** Who may sign in. */
export function PeopleSection() {
  const { data: me } = useSWR<Me, Error>(accessPaths.me);
  const isLocal = me?.kind === 'local';
  return (
    <Section name="people" title={text.title} body={isLocal ? text.local : text.body}>
      {me && !isLocal && <People me={me} />}
    </Section>
  );
}

function People({ me }: { readonly me: Me }) {
  const { data, error, mutate } = useSWR<{ readonly items: readonly Person[] }, Error>(accessPaths.people);
  /** For whom; null: a new one. */
  const dialog = useOpened<Person | null>();
  if (!data) {
    return error ? (
      <Notice
        title={text.loadFailed}
        body={error.message}
        action={{ label: settingsStrings.retry, run: () => void mutate() }}
      />
    ) : (
      <div aria-hidden className="my-5 h-16 animate-breathe rounded-md bg-rule" />
    );
  }
  return (
    <div className="border-t border-rule">
      <ul>
        {data.items.map((person) => (
          <li key={person.id}>
            <PersonRow
              person={person}
              isMe={person.id === me.id}
              onEdit={() => dialog.open(person)}
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
          onSaved={() => {
            dialog.close();
            void mutate();
          }}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}
