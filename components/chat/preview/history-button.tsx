import { History } from 'lucide-react';
import { useState } from 'react';
import { fetchedLater } from '#components/ui/fetched-later';
import { IconButton } from '#components/ui/icon-button';
import { changesStrings } from '#lib/strings/changes';

const HistoryDialog = fetchedLater(async () => (await import('#components/chat/preview/history-dialog')).HistoryDialog);

interface HistoryButtonProps {
  /** Of the site, as the preview shows it. */
  readonly path: string;
}

/** Opens the earlier versions of the page that is shown. */
export function HistoryButton({ path }: HistoryButtonProps) {
  /** The page that was shown when it was asked for: the preview may go on to another one meanwhile. */
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <>
      <IconButton label={changesStrings.history.open} icon={<History aria-hidden />} onClick={() => setOpened(path)} />
      {opened !== null && <HistoryDialog path={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
