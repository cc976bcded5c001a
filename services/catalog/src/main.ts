import { runService } from '@waybill/kernel';
import { catalog } from './index.ts';

runService(catalog);
