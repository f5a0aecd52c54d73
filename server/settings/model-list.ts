import type { ModelList } from '#server/core/admin/settings-report';
import type { ModelRegistry } from '#server/models/model-registry';
import { RECOMMENDED_ON, recommendedAmong } from '#server/models/recommended';

/**
 * Assumed tokens of a turn in conversations without data: a rule of thumb, four requests of 9,000 (instructions, tools
 * and a short conversation), two thirds of them from the provider's cache. `turns: 0`: it is the average of no turn.
 */
const TYPICAL_TURN = { inputTokens: 36_000, outputTokens: 900, cacheReadTokens: 24_000, turns: 0 } as const;

/** Reads the tokens of a typical turn of a conversation; null if it has none yet. */
type FindTurn = (sessionId: string) => Promise<ModelList['typicalTurn'] | null>;

/**
 * The models that can be chosen, and what a turn would cost with each.
 * @param sessionId conversation whose turns are used for the estimate; null: a typical turn
 */
export async function modelList(
  models: ModelRegistry,
  findTurn: FindTurn,
  sessionId: string | null,
): Promise<ModelList> {
  const turn = (sessionId === null ? null : await findTurn(sessionId)) ?? TYPICAL_TURN;
  const choices = models.list();
  const recommended = recommendedAmong((id) => choices.some((choice) => choice.id === id));
  return {
    items: choices.map(({ priceOf, ...choice }) => ({
      ...choice,
      acceptsImages: choice.acceptsImages || models.pictureModelId !== null,
      turnPrice: priceOf(turn),
      recommended: recommended.get(choice.id) ?? null,
    })),
    defaultModelId: models.defaultModelId,
    typicalTurn: turn,
    recommendedOn: RECOMMENDED_ON,
  };
}
