import { runService } from '@waybill/kernel';
import { content } from './index.ts';

runService(content);
