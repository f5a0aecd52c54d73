import { useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { TextField } from '#components/ui/fields';
import { HelpedSection } from '#components/ui/help-section';
import { useSubmit } from '#components/ui/dialogs/submit';
import { paths } from '#components/api/paths.ts';
import type { Erasure, PersonalData } from '#server/core/admin/personal-data';
import { useSWRConfig } from 'swr';

const t = translator('access.personalData');

/** Shows what is stored about one person, exports it and erases it. */
export function PersonalDataSection() {
  const [email, setEmail] = useState('');
  /** Result of the last request: a list of the data, or of what was erased. */
  const [shown, setShown] = useState<Erasure | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const submit = useSubmit(accessProblem);
  const { mutate } = useSWRConfig();
  const send = (address: string, dryRun: boolean) =>
    void submit.run(async () => {
      setShown(await access.erasePerson(address, dryRun));
      if (!dryRun) await mutate(paths.people);
    });
  const show = () => send(email.trim(), true);
  return (
    <HelpedSection name="personal-data" title={t('title')} body={t('body')}>
      <div className="border-t border-rule py-5">
        <form
          noValidate
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (!submit.isBusy && email.trim() !== '') show();
          }}
        >
          <div className="min-w-0 flex-1 basis-60">
            <TextField label={t('email')} type="email" autoComplete="off" value={email} onChange={setEmail} />
          </div>
          <Button type="submit" className="h-9" disabled={submit.isBusy || email.trim() === ''}>
            {submit.isBusy ? t('busy') : t('show')}
          </Button>
        </form>
        <output className="mt-3 block text-sm">
          {submit.problem !== null && <p className="text-red">{submit.problem}</p>}
          {shown && <Found erasure={shown} isBusy={submit.isBusy} onErase={() => setIsAsking(true)} />}
        </output>
      </div>
      {shown && (
        <ConfirmDialog
          open={isAsking}
          onOpenChange={setIsAsking}
          title={t('eraseTitle', { email: shown.data.email })}
          body={t('eraseBody')}
          confirm={t('erase')}
          onConfirm={() => send(shown.data.email, false)}
        />
      )}
    </HelpedSection>
  );
}

interface FoundProps {
  readonly erasure: Erasure;
  readonly isBusy: boolean;
  readonly onErase: () => void;
}

/** The list of stored data, with export and erase buttons. */
function Found({ erasure: { isErased, data }, isBusy, onErase }: FoundProps) {
  return (
    <>
      <p className="font-medium">{t(isErased ? 'erased' : 'found', { email: data.email })}</p>
      <ul className="mt-2 list-disc pl-5 text-ink-2">
        {linesOf(data).map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
      {!isErased && (
        <div className="mt-4 flex flex-wrap gap-3">
          <a
            href={paths.personalData(data.email)}
            download
            className="inline-flex h-9 items-center rounded-md border border-rule px-3 hover:border-ink-3"
          >
            {t('download')}
          </a>
          <Button className="h-9" disabled={isBusy} onClick={onErase}>
            {t('eraseOpen')}
          </Button>
        </div>
      )}
    </>
  );
}

/** One line for each kind of data, with names if there are any. */
function linesOf(data: PersonalData): string[] {
  const { account, conversations, attachments, pictures, submissions, comments, renamed } = data;
  const kept = pictures.filter(({ isUsed }) => isUsed);
  const unused = pictures.filter(({ isUsed }) => !isUsed);
  const ofPrograms = data.apiKeys + data.callRequests + data.keptRounds + data.storedResponses;
  const others = data.signIns + data.passkeys + data.approvalMails + ofPrograms;
  const entries = renamed.journal + renamed.audit + renamed.spending + renamed.imports + renamed.decisions;
  return [
    account ? t('account', { name: account.name }) : t('noAccount'),
    t('conversations', { count: conversations.length, names: conversations.map(({ title }) => title).join(', ') }),
    t('attachments', { count: attachments.length, names: attachments.map(({ filename }) => filename).join(', ') }),
    t('pictures', { count: unused.length, names: unused.map(({ filename }) => filename).join(', ') }),
    ...(kept.length > 0
      ? [t('keptPictures', { count: kept.length, names: kept.map(({ filename }) => filename).join(', ') })]
      : []),
    t('submissions', {
      count: submissions.length,
      names: [...new Set(submissions.map(({ formTitle }) => formTitle))].join(', '),
    }),
    t('comments', {
      count: comments.length,
      names: [...new Set(comments.map(({ pageTitle }) => pageTitle))].join(', '),
    }),
    t('others', { count: others }),
    t('renamed', { count: entries }),
  ];
}
