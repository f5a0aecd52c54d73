import type { ModelMessage as SdkModelMessage } from 'ai';
import type { ModelMessage } from '#server/core/model-messages';

/**
 * Our model messages as the AI SDK's. The shapes are the same (a test runs them through the SDK's own schema); only
 * optional properties differ in how TypeScript sees an explicit `undefined`.
 */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkModelMessage[] {
  return messages as unknown as SdkModelMessage[];
}
