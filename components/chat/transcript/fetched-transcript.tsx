import { useEffect, useState } from 'react';
import { transcriptStrings } from '#components/chat/session/words';
import { loadMarkdown } from '#components/chat/transcript/text-part';
import { sessionPath } from '#components/desk/navigation';
import { fetchedLater } from '#components/ui/fetched-later';

/** The messages of a conversation. What draws them is fetched with the first. */
export const Transcript = fetchedLater(
  async () => (await import('#components/chat/transcript/transcript')).Transcript,
  () => <TranscriptSkeleton />,
);

/** Fetches what draws a conversation, before its first message is there. @throws what `import` throws */
export async function loadTranscript(): Promise<void> {
  // Each passage tries again, and shows its plain text until then.
  await Promise.all([Transcript.fetch(), loadMarkdown().catch(() => undefined)]);
}

// Asked for as soon as the scripts run where answers are to be drawn; a new conversation asks while its first words are
// written.
if (typeof window !== 'undefined' && window.location.pathname.startsWith(sessionPath('')))
  void loadTranscript().catch(() => undefined);

/** Fetches what draws a conversation and says how far that is. When it is ready, messages are drawn as they will stay. */
export function useTranscript() {
  const [state, setState] = useState<'coming' | 'ready' | 'failed'>('coming');
  const isComing = state === 'coming';
  useEffect(() => {
    if (!isComing) return;
    loadTranscript().then(
      () => setState('ready'),
      () => setState('failed'),
    );
  }, [isComing]);
  return { isReady: state === 'ready', hasFailed: state === 'failed', retry: () => setState('coming') };
}

/** Stands where messages are on their way. */
export function TranscriptSkeleton() {
  return (
    <output aria-label={transcriptStrings.loading} className="block mx-auto w-full max-w-[44rem] flex-1 px-8 pt-8">
      {['w-2/5', 'w-11/12', 'w-4/5', 'w-3/5', 'w-1/3', 'w-10/12'].map((width) => (
        <div key={width} className={`mb-4 h-4 animate-breathe rounded bg-rule ${width}`} />
      ))}
    </output>
  );
}
