import { runService } from '@waybill/kernel';
import { gateway } from './index.ts';

runService(gateway);
