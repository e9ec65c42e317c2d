import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { silentLog } from './engine.js';

/** What a second process on a service's engine works with: its own connections and its own view of the catalogue. */
export async function partsOn(url: string, password: string) {
  const engine = new EngineClient({ url, user: 'default', password });
  const catalogue = new Catalogue(engine, silentLog);
  await catalogue.sync();
  catalogue.start();
  const storage = new Storage(engine, catalogue);
  const subTables = new SubTables(engine, catalogue);
  const end = async (): Promise<void> => {
    catalogue.stop();
    await engine.close();
  };
  return { engine, catalogue, storage, subTables, end };
}
