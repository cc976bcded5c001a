import { runService } from '@waybill/kernel';
import { identity } from './index.ts';

runService(identity);
