import type { ModelList } from '#server/core/settings-report';
import type { ModelRegistry } from '#server/models/model-registry';
import { RECOMMENDED_ON, recommendedAmong, USUAL_TURN } from '#server/models/recommended';

/** Reads a typical turn's tokens; null: none is known. */
type FindTurn = (sessionId: string) => Promise<ModelList['typicalTurn'] | null>;

/**
 * The models that may be chosen, with what a turn would cost with each.
 * @param sessionId the conversation whose turns are meant; null: what a turn usually takes
 */
export async function modelList(
  models: Pick<ModelRegistry, 'list' | 'defaultModelId' | 'pictureModelId'>,
  findTurn: FindTurn,
  sessionId: string | null,
): Promise<ModelList> {
  const turn = (sessionId === null ? null : await findTurn(sessionId)) ?? USUAL_TURN;
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
