import { requirePage } from '#server/http/page-access';

/** The empty desk; see the layout. */
export default async function NewChatPage() {
  await requirePage('chat');
  return null;
}
