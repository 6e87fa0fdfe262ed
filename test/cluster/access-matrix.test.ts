import { after, before, describe, it } from 'node:test';
import { tryEveryEndpoint } from '../attacks/matrix.ts';
import { type MatrixTarget, removePrey } from '../attacks/matrix-prey.ts';
import { ATTACKED, environmentsYaml, ISSUED, type PersonName } from '../attacks/people.ts';
import { send } from '../attacks/target.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { eventually } from '../support/eventually.ts';
import { noteRestCall } from '../support/signals.ts';
import { TEST_SET } from '../support/test-set.ts';
import { addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

describe('every route of the API and every page', { timeout: 600_000 }, () => {
  let product: SharedProduct;
  let target: MatrixTarget;
  before(async () => {
    product = await sharedProduct();
    target = targetOn(product);
    await addToCatalog(product, 'attacked.yaml', environmentsYaml());
    for (const person of ['viewer', 'developer', 'maintainer'] as const) {
      const sees = async (): Promise<boolean> => (await target.call(person, `/api/v1/environments/${ATTACKED}`)).status === 200;
      await eventually(sees, `${person} sees the Environment`);
    }
  });
  after(async () => {
    await removePrey(target);
    await product.stop();
  });

  it('lets in who may, and nobody else', async () => {
    await tryEveryEndpoint(target, TEST_SET === 'all' ? 'slow' : 'quick');
  });
});

function targetOn({ origin, stateDir, kubeconfigPath, chartsDir, ci }: SharedProduct): MatrixTarget {
  const token = async (name: PersonName): Promise<string> => await mintDemoToken({ stateDir, name, people: ISSUED });
  return {
    origin,
    stateDir,
    kubeconfigPath,
    chartsDir,
    ci: { sign: ci.sign },
    token,
    call: async (person, path, options) => {
      noteRestCall(stateDir, path.replace(/^\/api\/v1/, ''));
      return await send(`${origin}${path}`, person === 'anonymous' ? undefined : await token(person), options);
    },
  };
}
