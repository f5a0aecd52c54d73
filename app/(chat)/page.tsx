import { requirePage } from '#server/http/require-page';

/** The empty desk; see the layout. */
export default async function NewChatPage() {
  await requirePage('chat');
  return null;
}
