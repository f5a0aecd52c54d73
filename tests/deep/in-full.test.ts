// The whole of what `npm test` samples, with new random choices (see tests/support/deep).
// oxlint-disable import/no-unassigned-import
import '#components/chat/session/outbox.isolated.test.ts';
import '#components/editor/rich-text/write-markdown.test.ts';
import '#server/context/free-room.test';
import '#server/conversation/store/replace-message.test';
import '#server/conversation/store/turn-properties.test';
import '#server/conversation/turn/turn-transcript.test';
import '#server/models/offline/offline-assistant.test';
import '#tests/integration/bad-input.test';
import '#tests/integration/chat-templates.test';
import '#tests/integration/database-under-fire.test';
import '#tests/integration/edits-together.test';
import '#tests/integration/engine-properties.test';
import '#tests/integration/hostile-requests.test';
import '#tests/integration/hurtful-texts.test';
import '#tests/integration/in-memory-session.test';
import '#tests/integration/kept-rounds.test';
import '#tests/integration/long-session.test';
import '#tests/integration/mcp-malformed.test';
import '#tests/integration/openai-odd-clients.test';
import '#tests/integration/transcript-pages.test';
import '#tests/integration/turn-replay.test';
import '#tests/integration/unknown-overflows.test';
import '#tests/integration/v1-malformed.test';
import '#tests/peers/several-instances.test';
import '#tests/peers/wordpress-edits.test';
import '#tests/peers/wordpress-undo.test';
